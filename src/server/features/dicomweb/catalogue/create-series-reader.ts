import {
  borrowInstanceRange,
  inflatedDataSetPieces,
  type LendingVolume,
  openInstanceRange,
  readInstanceRange,
} from "../../../archive/instance-reader.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import {
  decodeIndexSection,
  MANIFEST_HEADER_BYTES,
  type ManifestLayout,
  manifestLayout,
  metadataRangeOf,
  metadataRanges,
  type SeriesIndex,
} from "../../../archive/manifest-codec.ts";
import type { Pieces } from "../../../archive/pieces.ts";
import { runConcurrently } from "../../../db/run-concurrently.ts";
import type { Deps } from "../../../deps.ts";
import { findCopies } from "../../../holdings/derivatives/derivatives.repo.ts";
import { createDerivativeReader } from "../../../holdings/derivatives/read-derivative.ts";
import { findStoredObject } from "../../../holdings/objects/stored-objects.repo.ts";
import type { StoredObjectRow } from "../../../holdings/objects/stored-objects.table.ts";
import {
  borrowObject,
  type ObjectDeps,
  openObject,
  readObject,
} from "../../../holdings/reading/open-object.ts";
import { streamOf } from "../../../http/stream-of.ts";
import { ByteCache } from "../../../runtime/byte-cache.ts";
import { type ByteRange, ObjectNotFound } from "../../../storage/object-store.ts";
import type { Bytes, StoredMetadata } from "../dicomweb.catalogue.ts";
import { MAX_AT_ONCE_BYTES } from "../metadata/metadata.ts";
import { nameSyntax } from "../metadata/named-syntax.ts";
import { findInstance } from "./find-instance.ts";
import type { SeriesReader } from "./series-reader.ts";

const INDEXES_MAX_BYTES = 48 * 1024 * 1024;
/** The cache's size; a thousand slices take about 250 kB in all codings, twice if addresses are whole in some answers. */
const PACKED_MAX_BYTES = 16 * 1024 * 1024;
/** The approximate memory of a cache entry beside its bytes; its key may hold an address. */
const PACKED_BYTES = 800;
/** Small manifests as they are stored: a series that is opened is asked for its index and then for its metadata. */
const WHOLE_MAX_BYTES = 4 * 1024 * 1024;
const VOLUMES_MAX_BYTES = 5 * 1024 * 1024;
/** The approximate memory of a row, whose UUIDs, key and checksum have fixed lengths. */
const VOLUME_ROW_BYTES = 1024;
/** A manifest up to this size is read with one access, whichever part of it is needed. */
const SMALL_MANIFEST_BYTES = 1024 * 1024;

/** The metadata of a series in one content coding. */
interface PackedMetadata {
  bytes: Uint8Array;
  inflatedBytes: number;
}

/**
 * Creates a reader whose cache, keyed by object id, is never stale, since objects never change. Each request first asks the
 * database whether the caller may see them.
 */
export function createSeriesReader(
  deps: ObjectDeps & Pick<Deps, "config">,
  { wholeMaxBytes = WHOLE_MAX_BYTES } = {},
): SeriesReader {
  const indexes = new ByteCache<SeriesIndex>(INDEXES_MAX_BYTES, ({ weightBytes }) => weightBytes);
  const packed = new ByteCache<PackedMetadata>(PACKED_MAX_BYTES, ({ bytes }) => bytes.length + PACKED_BYTES);
  const wholes = new ByteCache<Uint8Array>(wholeMaxBytes, ({ length }) => length);
  const archivedVolumes = new ByteCache<StoredObjectRow>(VOLUMES_MAX_BYTES, () => VOLUME_ROW_BYTES);

  async function findVolume(id: string): Promise<StoredObjectRow> {
    const known = archivedVolumes.get(id);
    const volume = known ?? (await findStoredObject(deps.db, id));
    if (!volume) throw new ObjectNotFound(id);
    // Only archived volumes are cached, since a staged object is about to move.
    if (!known && volume.location === "archive") archivedVolumes.set(id, volume);
    return volume;
  }

  async function volumeOf(instance: ManifestInstance): Promise<LendingVolume> {
    const volume = await findVolume(instance.volumeId);
    return {
      read: (range) => readObject(deps, volume, range, { entry: instance }),
      borrow: (range) => borrowObject(deps, volume, range, { entry: instance }),
      open: (range) => openObject(deps, volume, range, { entry: instance }),
    };
  }

  /** Reads the layout of a manifest, and all of its bytes if it is small. */
  async function readLayout(object: StoredObjectRow): Promise<ManifestLayout & { whole?: Uint8Array }> {
    const read = (length: number) => readObject(deps, object, { offset: 0, length });
    const isSmall = object.sizeBytes <= SMALL_MANIFEST_BYTES;
    const bytes = isSmall
      ? await wholes.getOrMake(object.id, () => read(object.sizeBytes))
      : await read(MANIFEST_HEADER_BYTES);
    return { ...manifestLayout(bytes, object.sizeBytes), ...(isSmall && { whole: bytes }) };
  }

  async function readIndex(object: StoredObjectRow): Promise<SeriesIndex> {
    const { index, whole } = await readLayout(object);
    const section = whole ? cut(whole, index) : await readObject(deps, object, index);
    return await decodeIndexSection(section, index);
  }

  const indexOf = (object: StoredObjectRow) => indexes.getOrMake(object.id, () => readIndex(object));

  const findDerivative = createDerivativeReader(deps, async (manifestId, sopInstanceUID) => {
    const object = await findStoredObject(deps.db, manifestId);
    return object && findInstance((await indexOf(object)).manifest, sopInstanceUID)?.transferSyntaxUID;
  });

  /** Opens the metadata as they are stored; small metadata are read and checked only once. */
  async function openMetadata(object: StoredObjectRow) {
    if (object.sizeBytes > SMALL_MANIFEST_BYTES) {
      const { metadata } = await readLayout(object);
      return { ...metadata, open: () => openObject(deps, object, metadata) };
    }
    const read = async () => {
      const { metadata, whole = new Uint8Array() } = await readLayout(object);
      return { bytes: cut(whole, metadata).slice(), inflatedBytes: metadata.inflatedBytes };
    };
    const { bytes, inflatedBytes } = await packed.getOrMake(storedName(object), read);
    return { inflatedBytes, open: async () => bytes };
  }

  return {
    async warm(object, needsMetadata) {
      if (object.sizeBytes > SMALL_MANIFEST_BYTES) return;
      // Side by side, so that both are cut from one access. Others may push the whole manifest out before its turn comes.
      await runConcurrently(indexOf(object), needsMetadata ? openMetadata(object) : Promise.resolve());
    },
    async manifest(object) {
      return (await indexOf(object)).manifest;
    },
    async metadata(object, finding) {
      // Both wait for the store.
      const [{ inflatedBytes, open }, derivative] = await runConcurrently(
        openMetadata(object),
        Promise.resolve(finding),
      );
      const stored: StoredMetadata = {
        encoding: "zstd",
        version: object.id,
        inflatedBytes,
        open,
        async packed(form, pack) {
          const make = async () => ({ bytes: await pack(), inflatedBytes });
          return (await packed.getOrMake(`${object.id} ${form}`, make)).bytes;
        },
        async rangeOf(sopInstanceUID) {
          const index = await indexOf(object);
          const instance = findInstance(index.manifest, sopInstanceUID);
          return instance && metadataRangeOf(index, instance);
        },
        ranges: async () => metadataRanges(await indexOf(object)),
      };
      if (!derivative) return stored;
      return nameSyntax(stored, derivative, {
        maxAtOnceBytes: MAX_AT_ONCE_BYTES,
        async keep(name, make) {
          const value = async () => ({ bytes: await make(), inflatedBytes });
          return (await packed.getOrMake(`${object.id} ${name}`, value)).bytes;
        },
      });
    },
    derivative: async ({ id }) => (deps.config.hasDerivatives ? await findDerivative(id) : undefined),
    async copies(manifestIds) {
      return deps.config.hasDerivatives ? await findCopies(deps.db, manifestIds) : new Map();
    },
    async read(instance, range) {
      return await readInstanceRange(instance, range, await volumeOf(instance));
    },
    async borrow(instance, range) {
      return await borrowInstanceRange(instance, range, await volumeOf(instance));
    },
    async open(instance, range = { offset: 0, length: instance.sizeBytes }) {
      return asBody(await openInstanceRange(instance, range, await volumeOf(instance)));
    },
    async openInflated(instance, range) {
      return streamOf(inflatedDataSetPieces(instance, range, await volumeOf(instance)));
    },
  };
}

/** The name of a series' metadata as they are stored, among those in other codings. */
function storedName({ id }: StoredObjectRow): string {
  return `${id} zstd`;
}

function asBody(body: Bytes | Pieces): Bytes {
  const isBody = body instanceof Uint8Array || body instanceof Blob || body instanceof ReadableStream;
  return isBody ? body : streamOf(body);
}

function cut(bytes: Uint8Array, { offset, length }: ByteRange): Uint8Array {
  return bytes.subarray(offset, offset + length);
}
