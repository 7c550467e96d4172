import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from "node:zlib";
import type { ByteRange } from "../storage/object-store.ts";
import { compressPieces } from "./compress-pieces.ts";
import { assertSectionLength, inflateSection } from "./inflate-section.ts";
import { ManifestError, ManifestTooLarge } from "./manifest.errors.ts";
import type { ManifestInstance, SeriesManifest } from "./manifest.ts";
import { compareInstances, parseSeriesManifest } from "./manifest-index.ts";
import { assertIndexWeight, MAX_INDEX_BYTES, MAX_WRITTEN_WEIGHT_BYTES } from "./manifest-weight.ts";
import { metadataJson } from "./metadata-json.ts";
import { type MetadataRef, MetadataStore } from "./metadata-store.ts";
import type { StudyLabel } from "./study-label.ts";
import { takeFrom } from "./take-from.ts";

/*
 * The bytes of a manifest: a header, then two zstd frames.
 *
 *   0  "EXMS"            4  uint32 format version
 *   8  uint64 indexBytes     16  uint64 inflated
 *  24  uint64 metadataBytes  32  uint64 inflated
 *  40  index: zstd(JSON of SeriesManifest and `metadataLengths`, the bytes of each instance's DICOM JSON)
 *   …  metadata: zstd(JSON array of the instances' DICOM JSON, in the same order)
 *
 * Numbers are little endian. The metadata can be sent as it is with `Content-Encoding: zstd`.
 */
const MAGIC = 0x534d5845;
const FORMAT_VERSION = 1;
export const MANIFEST_HEADER_BYTES = 40;
const MAX_INFLATED_BYTES = 2 ** 31;
/** The largest metadata of a series that we write, as JSON: 5,000 slices of 100 kB each. */
export const MAX_WRITTEN_METADATA_BYTES = 512 * 1024 * 1024;
/** An index up to this size is inflated on the event loop. */
const SMALL_INDEX_BYTES = 256 * 1024;
/** Each frame has a checksum, so a flipped bit is an error instead of another value. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } };

const OPEN = Uint8Array.of(0x5b);
const COMMA = Uint8Array.of(0x2c);
const CLOSE = Uint8Array.of(0x5d);

/** A manifest with the DICOM JSON of its instances, one after the other as UTF-8. */
export interface SeriesContent {
  manifest: SeriesManifest;
  /** Called once for each instance, in order; the view may be reused by the next call. */
  metadataOf(instance: ManifestInstance): Uint8Array;
}

/** One of the two zstd frames of a manifest. */
export interface ManifestSection extends ByteRange {
  inflatedBytes: number;
}

/** Where the two zstd frames of a manifest are. */
export interface ManifestLayout {
  index: ManifestSection;
  metadata: ManifestSection;
}

/** The decoded index of a series. */
export interface SeriesIndex {
  manifest: SeriesManifest;
  /** Bytes of each instance's DICOM JSON, in the order of the manifest. */
  metadataLengths: number[];
  /** About how many bytes it takes in memory. */
  weightBytes: number;
}

const inflateOffLoop = promisify(zstdDecompress);
const deflateOffLoop = promisify(zstdCompress);

/**
 * Encodes a series; `manifest.instances` must be in order. Memory: the compressed bytes and one instance.
 * @throws {ManifestTooLarge} if it could not be read again in bounded memory
 */
export async function encodeManifest({ manifest, metadataOf }: SeriesContent): Promise<Uint8Array> {
  const metadataLengths: number[] = [];
  let metadataInflated = 2 + Math.max(0, manifest.instances.length - 1);
  function* pieces(): Iterable<Uint8Array> {
    yield OPEN;
    for (const [i, instance] of manifest.instances.entries()) {
      if (i > 0) yield COMMA;
      const json = metadataOf(instance);
      metadataLengths.push(json.length);
      metadataInflated += json.length;
      if (metadataInflated > MAX_WRITTEN_METADATA_BYTES) throw new ManifestTooLarge("its metadata");
      yield json;
    }
    yield CLOSE;
  }
  const metadata = await compressPieces(pieces(), ZSTD);
  const indexJson = Buffer.from(JSON.stringify({ ...manifest, metadataLengths }));
  assertIndexLength(indexJson.length);
  assertIndexWeight(indexJson, MAX_WRITTEN_WEIGHT_BYTES);
  const index = zstdCompressSync(indexJson, ZSTD);

  const sizes = { index: indexJson.length, metadata: metadataInflated };
  return joinSections(index, metadata, sizes);
}

function assertIndexLength(bytes: number): void {
  if (bytes > MAX_INDEX_BYTES) throw new ManifestTooLarge(`an index of ${bytes} bytes`);
}

/** A manifest of its two zstd frames and their inflated sizes. */
function joinSections(
  index: Uint8Array,
  metadata: Uint8Array,
  inflated: { index: number; metadata: number },
): Uint8Array {
  const header = Buffer.alloc(MANIFEST_HEADER_BYTES);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt32LE(FORMAT_VERSION, 4);
  header.writeBigUInt64LE(BigInt(index.length), 8);
  header.writeBigUInt64LE(BigInt(inflated.index), 16);
  header.writeBigUInt64LE(BigInt(metadata.length), 24);
  header.writeBigUInt64LE(BigInt(inflated.metadata), 32);
  return Buffer.concat([header, index, metadata]);
}

/**
 * The same manifest with another label.
 * @throws {ManifestError}
 * @throws {ManifestTooLarge} if it could not be read again
 */
export async function relabelManifest(bytes: Uint8Array, label: StudyLabel): Promise<Uint8Array> {
  const { index, metadata } = manifestLayout(bytes, bytes.length);
  const section = bytes.subarray(index.offset, index.offset + index.length);
  const { manifest, metadataLengths } = await decodeIndexSection(section, index);
  const indexJson = Buffer.from(JSON.stringify({ ...manifest, label, metadataLengths }));
  assertIndexLength(indexJson.length);
  assertIndexWeight(indexJson);
  const sizes = { index: indexJson.length, metadata: metadata.inflatedBytes };
  return joinSections(await deflateOffLoop(indexJson, ZSTD), metadataSection(bytes), sizes);
}

/**
 * Decodes the index of a series. Blocks, so only workers call it.
 * @throws {ManifestError} if the bytes are not a manifest of this format, or contradict themselves
 */
export function decodeManifestIndex(bytes: Uint8Array): SeriesManifest {
  return decodeIndex(bytes).manifest;
}

/**
 * Decodes the index of a series from its section. A large one is inflated off the event loop.
 * @throws {ManifestError}
 * @throws {ManifestTooLarge} before it allocates anything large
 */
export async function decodeIndexSection(
  section: Uint8Array,
  { inflatedBytes }: ManifestSection,
): Promise<SeriesIndex> {
  if (inflatedBytes <= SMALL_INDEX_BYTES) return parseIndex(inflateSection(section, inflatedBytes));
  const inflated = await inflateOffLoop(section, { maxOutputLength: inflatedBytes }).catch((cause) => {
    throw new ManifestError("a section does not inflate", { cause });
  });
  return parseIndex(assertSectionLength(inflated, inflatedBytes));
}

/** Where the DICOM JSON of an instance is in the inflated metadata; undefined if the series has no such instance. */
export function metadataRangeOf(index: SeriesIndex, instance: ManifestInstance): ByteRange | undefined {
  let offset = 1;
  for (const [i, candidate] of index.manifest.instances.entries()) {
    const length = index.metadataLengths[i] ?? 0;
    if (candidate === instance) return { offset, length };
    offset += length + 1;
  }
  return undefined;
}

/** Where the DICOM JSON of each instance is in the inflated metadata. */
export function metadataRanges({ metadataLengths }: SeriesIndex): ByteRange[] {
  let offset = 1;
  return Array.from(metadataLengths, (length) => {
    const range = { offset, length };
    offset += length + 1;
    return range;
  });
}

/**
 * The zstd frame with the DICOM JSON array of the series, as a view of `bytes`.
 * @throws {ManifestError}
 */
export function metadataSection(bytes: Uint8Array): Uint8Array {
  const { metadata } = manifestLayout(bytes, bytes.length);
  return bytes.subarray(metadata.offset, metadata.offset + metadata.length);
}

/**
 * Decodes a series with the metadata of its instances, for {@link mergeManifests}. Holds the index and the compressed
 * metadata. Blocks, so only workers call it.
 * @throws {ManifestError}
 */
export async function decodeManifest(bytes: Uint8Array): Promise<SeriesContent> {
  const { manifest, metadataLengths } = decodeIndex(bytes);
  const { metadata } = manifestLayout(bytes, bytes.length);
  const lengths = metadataLengths.reduce((sum, length) => sum + length + 1, 1);
  if (metadata.inflatedBytes !== Math.max(2, lengths)) {
    throw new ManifestError("its metadata is not as long as the index says");
  }
  const store = new MetadataStore();
  const refs = new Map<ManifestInstance, MetadataRef>();
  const inflated = takeFrom(metadataJson(metadataSection(bytes), metadata.inflatedBytes));
  await inflated.take(1);
  for (const [i, instance] of manifest.instances.entries()) {
    refs.set(instance, store.add(await inflated.take(metadataLengths[i] ?? 0)));
    await inflated.take(1);
  }
  await inflated.end(manifest.instances.length === 0 ? 1 : 0);
  return { manifest, metadataOf: (instance) => store.read(refOf(refs, instance)) };
}

function refOf(refs: Map<ManifestInstance, MetadataRef>, instance: ManifestInstance): MetadataRef {
  const ref = refs.get(instance);
  if (!ref) throw new ManifestError("an instance is not of this series");
  return ref;
}

/** Merges two contents of one series in order. Where both have an instance, the one in `kept` stays. */
export function mergeManifests(kept: SeriesContent, added: SeriesContent): SeriesContent {
  const { studyInstanceUID, seriesInstanceUID } = kept.manifest;
  const isSame =
    added.manifest.studyInstanceUID === studyInstanceUID &&
    added.manifest.seriesInstanceUID === seriesInstanceUID;
  if (!isSame) throw new ManifestError("two series can't be merged");
  const known = new Set(kept.manifest.instances.map(({ sopInstanceUID }) => sopInstanceUID));
  const fresh = new Set(added.manifest.instances.filter(({ sopInstanceUID }) => !known.has(sopInstanceUID)));
  return {
    manifest: { ...kept.manifest, instances: [...kept.manifest.instances, ...fresh].sort(compareInstances) },
    metadataOf: (instance) => (fresh.has(instance) ? added : kept).metadataOf(instance),
  };
}

/**
 * Reads the header of a manifest of `objectBytes` bytes.
 * @throws {ManifestError} if the bytes are not a manifest of this format
 * @throws {ManifestTooLarge}
 */
export function manifestLayout(header: Uint8Array, objectBytes: number): ManifestLayout {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (header.length < MANIFEST_HEADER_BYTES || view.getUint32(0, true) !== MAGIC)
    throw new ManifestError("not a manifest");
  if (view.getUint32(4, true) !== FORMAT_VERSION) throw new ManifestError("of a version not known here");
  const [index, indexInflated, metadata, metadataInflated] = [8, 16, 24, 32].map((at) =>
    Number(view.getBigUint64(at, true)),
  ) as [number, number, number, number];
  if (MANIFEST_HEADER_BYTES + index + metadata !== objectBytes) throw new ManifestError("cut or grown");
  if (metadataInflated > MAX_INFLATED_BYTES) throw new ManifestError("too large");
  assertIndexLength(Math.max(index, indexInflated));
  return {
    index: { offset: MANIFEST_HEADER_BYTES, length: index, inflatedBytes: indexInflated },
    metadata: { offset: MANIFEST_HEADER_BYTES + index, length: metadata, inflatedBytes: metadataInflated },
  };
}

function decodeIndex(bytes: Uint8Array): SeriesIndex {
  const { index } = manifestLayout(bytes, bytes.length);
  return parseIndex(
    inflateSection(bytes.subarray(index.offset, index.offset + index.length), index.inflatedBytes),
  );
}

function parseIndex(inflated: Uint8Array): SeriesIndex {
  const weightBytes = assertIndexWeight(inflated);
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(inflated.buffer, inflated.byteOffset, inflated.length).toString("utf8"));
  } catch (cause) {
    throw new ManifestError("its index is no JSON", { cause });
  }
  return { ...parseSeriesManifest(json), weightBytes };
}
