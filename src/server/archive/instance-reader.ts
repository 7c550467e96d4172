import { promisify } from "node:util";
import { createInflate, createInflateRaw, inflateRaw, inflateRawSync } from "node:zlib";
import { METHOD_STORED } from "../../shared/zip/zip-format.ts";
import { findDataSet } from "../dicom/find-data-set.ts";
import { type LentBytes, ownBytes } from "../runtime/lent-bytes.ts";
import type { ByteRange } from "../storage/object-store.ts";
import { inflateBounds } from "./inflate-bounds.ts";
import { isInflateFailure } from "./inflate-failure.ts";
import type { ManifestInstance } from "./manifest.ts";
import { joinPieces, type Pieces, piecesOf, type StreamedBody, slicePieces, through } from "./pieces.ts";

/** The bytes of an instance differ from what its manifest says: damage at rest. */
export class InstanceDamaged extends Error {
  override name = "InstanceDamaged";
}

/** Reads ranges of the volume that holds the instance, into memory or as a stream. */
export interface VolumeReader {
  read(range: ByteRange): Promise<Uint8Array>;
  open(range: ByteRange): Promise<StreamedBody>;
}

export interface LendingVolume extends VolumeReader {
  borrow(range: ByteRange): Promise<LentBytes>;
}

/** The most that is read into memory at once. Anything larger is streamed. */
const MAX_READ_BYTES = 16 * 1024 * 1024;
/** A deflated entry up to this size is inflated in one step, which is cheaper than piece by piece. */
const MAX_INFLATED_AT_ONCE_BYTES = 4 * 1024 * 1024;
const INFLATED_PIECE_BYTES = 256 * 1024;
/** File Meta Information takes about 500 bytes; private information can make it longer. */
const META_BYTES = [16 * 1024, 1024 * 1024] as const;

const inflateAtOnce = promisify(inflateRaw);

/**
 * Bytes of an instance's file in memory, at most {@link MAX_READ_BYTES} of them. A stored instance costs one read of
 * exactly these bytes. A deflated one is inflated only up to their end, and is held whole only if it is small.
 * @throws {RangeError} where `range` is not within the instance, or too long
 * @throws {InstanceDamaged}
 */
export async function readInstanceRange(
  instance: ManifestInstance,
  range: ByteRange,
  volume: VolumeReader,
): Promise<Uint8Array> {
  assertWithin(instance, range);
  const { offset, length } = range;
  if (length > MAX_READ_BYTES) throw new RangeError("more than is read at once");
  if (length === 0) return new Uint8Array(0);
  if (instance.method === METHOD_STORED) return volume.read(inVolume(instance, range));
  if (isInflatedAtOnce(instance)) {
    return (await inflateWhole(instance, volume)).subarray(offset, offset + length);
  }
  return await joined(instancePieces(instance, range, volume), length);
}

/** As {@link readInstanceRange}, but may lend the bytes. */
export async function borrowInstanceRange(
  instance: ManifestInstance,
  range: ByteRange,
  volume: LendingVolume,
): Promise<LentBytes> {
  if (instance.method !== METHOD_STORED || range.length === 0)
    return ownBytes(await readInstanceRange(instance, range, volume));
  assertWithin(instance, range);
  return await volume.borrow(inVolume(instance, range));
}

/**
 * The same bytes, in any number, as a stream. A stored instance comes as the store gives it, a deflated one as it is
 * inflated.
 * @throws {RangeError} {InstanceDamaged} as {@link readInstanceRange}; a stream throws them while it is read
 */
export async function openInstanceRange(
  instance: ManifestInstance,
  range: ByteRange,
  volume: VolumeReader,
): Promise<Uint8Array | StreamedBody | Pieces> {
  assertWithin(instance, range);
  if (instance.method === METHOD_STORED) return await volume.open(inVolume(instance, range));
  if (isInflatedAtOnce(instance)) return await readInstanceRange(instance, range, volume);
  return instancePieces(instance, range, volume);
}

/** Bytes of an instance's file, piece by piece. @throws {InstanceDamaged} if the file is shorter */
export async function* instancePieces(
  instance: ManifestInstance,
  range: ByteRange,
  volume: VolumeReader,
): AsyncGenerator<Uint8Array> {
  assertWithin(instance, range);
  if (instance.method === METHOD_STORED) {
    yield* piecesOf(await volume.open(inVolume(instance, range)));
    return;
  }
  const stored = piecesOf(await volume.open({ offset: instance.dataOffset, length: instance.storedBytes }));
  yield* inflatedSlice(stored, createInflateRaw({ chunkSize: INFLATED_PIECE_BYTES }), range);
}

/**
 * Bytes of the file with its data set inflated, piece by piece: the offsets of a `deflated` frame table count in these
 * (PS3.5 §A.5). Without `range`, all of them. Inflates only as far as `range` reaches and holds one piece.
 * @throws {InstanceDamaged}
 */
export async function* inflatedDataSetPieces(
  instance: ManifestInstance,
  range: ByteRange | undefined,
  volume: VolumeReader,
): AsyncGenerator<Uint8Array> {
  const { offset, length } = range ?? { offset: 0, length: Number.POSITIVE_INFINITY };
  const { head, boundary, isWrapped } = await findDeflatedDataSet(instance, volume);
  const end = offset + length;
  if (offset < boundary) yield head.subarray(offset, Math.min(end, boundary));
  if (end <= boundary) return;
  const from = Math.max(offset, boundary);
  const deflated = instancePieces(
    instance,
    { offset: boundary, length: instance.sizeBytes - boundary },
    volume,
  );
  const options = { chunkSize: INFLATED_PIECE_BYTES };
  const inflate = isWrapped ? createInflate(options) : createInflateRaw(options);
  yield* inflatedSlice(deflated, inflate, { offset: from - boundary, length: end - from });
}

/**
 * Inflates raw deflate data to exactly `sizeBytes` and never allocates more. Blocks, so only workers call it.
 * @throws {InstanceDamaged}
 */
export function inflateExactly(deflated: Uint8Array, sizeBytes: number): Uint8Array {
  try {
    return assertLength(inflateRawSync(deflated, inflateBounds(sizeBytes)), sizeBytes);
  } catch (cause) {
    throw asDamage(cause);
  }
}

function assertWithin({ sizeBytes }: ManifestInstance, { offset, length }: ByteRange): void {
  if (offset < 0 || length < 0 || offset + length > sizeBytes) throw new RangeError("not in the instance");
}

function inVolume({ dataOffset }: ManifestInstance, { offset, length }: ByteRange): ByteRange {
  return { offset: dataOffset + offset, length };
}

/** Whether reading this instance inflates it while it is sent. */
export function isInflatedInPieces(instance: ManifestInstance): boolean {
  return instance.method !== METHOD_STORED && !isInflatedAtOnce(instance);
}

function isInflatedAtOnce({ sizeBytes, storedBytes }: ManifestInstance): boolean {
  return Math.max(sizeBytes, storedBytes) <= MAX_INFLATED_AT_ONCE_BYTES;
}

async function inflateWhole(
  { dataOffset, storedBytes, sizeBytes }: ManifestInstance,
  volume: VolumeReader,
): Promise<Uint8Array> {
  const stored = await volume.read({ offset: dataOffset, length: storedBytes });
  try {
    return assertLength(await inflateAtOnce(stored, inflateBounds(sizeBytes)), sizeBytes);
  } catch (cause) {
    throw asDamage(cause);
  }
}

function assertLength(inflated: Uint8Array, sizeBytes: number): Uint8Array {
  if (inflated.length !== sizeBytes)
    throw new InstanceDamaged("an entry is not as long as its manifest says");
  return inflated;
}

/** The output of `inflate` from `offset` on. It reads no more of `deflated` than that needs. */
async function* inflatedSlice(
  deflated: Pieces,
  inflate: ReturnType<typeof createInflateRaw | typeof createInflate>,
  { offset, length }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let missing = length;
  try {
    for await (const piece of slicePieces(through(deflated, inflate), offset, length)) {
      missing -= piece.length;
      yield piece;
    }
  } catch (cause) {
    throw asDamage(cause);
  }
  if (missing > 0 && length !== Number.POSITIVE_INFINITY)
    throw new InstanceDamaged("deflated bytes end early");
}

/** Turns what zlib says of the data into damage. Failures of the store pass unchanged. */
function asDamage(cause: unknown): unknown {
  return isInflateFailure(cause) ? new InstanceDamaged("an entry does not inflate", { cause }) : cause;
}

async function joined(pieces: Pieces, length: number): Promise<Uint8Array> {
  const bytes = await joinPieces(pieces, length);
  if (!bytes) throw new InstanceDamaged("an entry is not as long as its manifest says");
  return bytes;
}

/** The bytes before the deflated data set. Their length is where it begins. */
async function findDeflatedDataSet(instance: ManifestInstance, volume: VolumeReader) {
  for (const headBytes of META_BYTES) {
    const length = Math.min(headBytes, instance.sizeBytes);
    const head = await readInstanceRange(instance, { offset: 0, length }, volume);
    const boundary = findDataSet(head);
    if (boundary === undefined || boundary + 2 > length) continue;
    // A few writers wrap the stream as zlib does (RFC 1950) instead of leaving it raw (RFC 1951).
    const [first = 0, second = 0] = head.subarray(boundary, boundary + 2);
    const isWrapped = first === 0x78 && ((first << 8) | second) % 31 === 0;
    return { head, boundary, isWrapped };
  }
  throw new InstanceDamaged("its data set is not found");
}
