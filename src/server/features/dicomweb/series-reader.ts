import { readInstanceRange } from "../../archive/instance-reader.ts";
import type { ManifestInstance, SeriesManifest } from "../../archive/manifest.ts";
import { decodeManifestIndex, metadataSection } from "../../archive/manifest-codec.ts";
import { RecentlyUsed } from "../../archive/recently-used.ts";
import { METHOD_STORED } from "../../archive/zip-format.ts";
import type { Deps } from "../../deps.ts";
import { type ByteRange, ObjectNotFound } from "../../storage/object-store.ts";
import { openObject, readObject } from "../studies/open-object.ts";
import { findStoredObject } from "../studies/stored-objects.repo.ts";
import type { StoredObjectRow } from "../studies/studies.table.ts";

/** Manifests and instances out of the stores, with what is read again and again kept in memory, bounded. */
export interface SeriesReader {
  manifest(object: StoredObjectRow): Promise<SeriesManifest>;
  /** The series' DICOM JSON, zstd. */
  metadata(object: StoredObjectRow): Promise<Uint8Array>;
  read(instance: ManifestInstance, range: ByteRange): Promise<Uint8Array>;
  open(instance: ManifestInstance, range?: ByteRange): Promise<Blob | ReadableStream<Uint8Array>>;
}

const MANIFESTS_MAX_BYTES = 48 * 1024 * 1024;
/** About what one instance of a decoded manifest takes in memory. */
const INSTANCE_BYTES = 700;
const VOLUMES_MAX = 5_000;

/**
 * Objects never change, so what is cached by their id can't be stale; whether a caller may see them is asked of
 * the database before, at every request.
 */
export function createSeriesReader(deps: Pick<Deps, "db" | "store" | "staging" | "node">): SeriesReader {
  const manifests = new RecentlyUsed<SeriesManifest>(MANIFESTS_MAX_BYTES);
  const archivedVolumes = new RecentlyUsed<StoredObjectRow>(VOLUMES_MAX);

  async function findVolume(id: string): Promise<StoredObjectRow> {
    const known = archivedVolumes.get(id);
    const volume = known ?? (await findStoredObject(deps.db, id));
    if (!volume) throw new ObjectNotFound(id);
    // Only the archive is final: a staged object is about to move.
    if (!known && volume.location === "archive") archivedVolumes.set(id, volume, 1);
    return volume;
  }

  async function read(instance: ManifestInstance, range: ByteRange): Promise<Uint8Array> {
    const volume = await findVolume(instance.volumeId);
    return await readInstanceRange(instance, range, (inVolume) => readObject(deps, volume, inVolume));
  }

  return {
    async manifest(object) {
      const known = manifests.get(object.id);
      if (known) return known;
      const manifest = decodeManifestIndex(await readObject(deps, object));
      manifests.set(object.id, manifest, manifest.instances.length * INSTANCE_BYTES);
      return manifest;
    },
    async metadata(object) {
      return metadataSection(await readObject(deps, object));
    },
    read,
    async open(instance, range = { offset: 0, length: instance.sizeBytes }) {
      if (instance.method !== METHOD_STORED) return new Blob([Uint8Array.from(await read(instance, range))]);
      const volume = await findVolume(instance.volumeId);
      return await openObject(deps, volume, {
        offset: instance.dataOffset + range.offset,
        length: range.length,
      });
    },
  };
}
