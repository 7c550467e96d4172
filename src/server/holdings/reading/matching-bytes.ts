import { PIECE_BYTES, type PieceSums } from "../../archive/piece-sums.ts";
import { inBuffers } from "../../archive/pieces.ts";
import { continueFrom } from "../../runtime/continue-from.ts";
import { LentBuffers, type LentBytes } from "../../runtime/lent-bytes.ts";
import { isAbsent } from "../../storage/disk/fs-failure.ts";
import { type ByteRange, ObjectNotFound } from "../../storage/object-store.ts";
import type { KeptObject } from "../objects/kept-object.ts";
import { fromStore, ObjectChanged, readStored, type StoreDeps } from "./stored-bytes.ts";

/** Bytes of a stream that are read and checked at once. */
const BUFFER_BYTES = 8 * PIECE_BYTES;
/** Ranges up to this size are read into reused buffers. */
const MAX_LENT_BYTES = 2 * 1024 * 1024;
const buffers = new LentBuffers(MAX_LENT_BYTES + 2 * PIECE_BYTES);

/**
 * Lends the range, read and checked. Undefined if it is long, or if the store can't fill a given buffer.
 * @throws {ObjectChanged}
 */
export async function lendMatching(
  deps: StoreDeps,
  object: KeptObject,
  sums: PieceSums,
  range: ByteRange,
): Promise<LentBytes | undefined> {
  if (range.length > MAX_LENT_BYTES) return undefined;
  const around = sums.around(range);
  const within = { offset: range.offset - around.offset, length: range.length };
  return await fromStore(deps, object, async (store) => {
    if (!store.readInto) return undefined;
    return await buffers.lend(around.length, within, async (bytes) => {
      await store.readInto?.(object.key, around.offset, bytes);
      if (!sums.match(around.offset, bytes)) throw new ObjectChanged();
    });
  });
}

/** Reads the range, checked, into memory of its own. @throws {ObjectChanged} */
export async function readMatchingRange(
  deps: StoreDeps,
  object: KeptObject,
  sums: PieceSums,
  range: ByteRange,
): Promise<Uint8Array> {
  const around = sums.around(range);
  const pieces = await readMatching(deps, object, sums, around);
  const start = range.offset - around.offset;
  return pieces.subarray(start, start + range.length);
}

async function readMatching(
  deps: StoreDeps,
  object: KeptObject,
  sums: PieceSums,
  pieces: ByteRange,
): Promise<Uint8Array> {
  const isRight = (bytes: Uint8Array) => bytes.length === pieces.length && sums.match(pieces.offset, bytes);
  const bytes = await readStored(deps, object, pieces);
  if (isRight(bytes)) return bytes;
  return await readAgain(deps, object, pieces, isRight);
}

/** The wrong bytes may be those of the local copy. @throws {ObjectChanged} */
export async function readAgain(
  deps: StoreDeps,
  object: KeptObject,
  range: ByteRange,
  isRight: (bytes: Uint8Array) => boolean,
): Promise<Uint8Array> {
  if (!deps.cache) throw new ObjectChanged();
  await deps.cache.dropCopy(object.key);
  const bytes = await readStored(deps, object, range);
  if (!isRight(bytes)) throw new ObjectChanged();
  return bytes;
}

/** Yields the bytes of `range`; each is checked before. @throws {ObjectChanged} */
export async function* checkedChunks(
  deps: StoreDeps,
  object: KeptObject,
  sums: PieceSums,
  range: ByteRange,
): AsyncGenerator<Uint8Array, void> {
  if (range.length === 0) return;
  const around = sums.around(range);
  let at = around.offset;
  for await (const chunk of await openBuffers(deps, object, around)) {
    const pieces = { offset: at, length: chunk.length };
    const right = sums.match(at, chunk) ? chunk : await readMatching(deps, object, sums, pieces);
    const start = Math.max(0, range.offset - at);
    yield right.subarray(start, range.offset + range.length - at);
    at += chunk.length;
  }
  if (at !== around.offset + around.length) throw new ObjectChanged();
}

/** Opens a range by reading its first buffer: an open file stays readable when it is moved away. */
async function openBuffers(
  deps: StoreDeps,
  object: KeptObject,
  range: ByteRange,
): Promise<AsyncGenerator<Uint8Array>> {
  return await fromStore(deps, object, async (store) => {
    const buffers = inBuffers(await store.open(object.key, range), BUFFER_BYTES);
    const first = await buffers.next().catch((cause) => {
      throw isAbsent(cause) ? new ObjectNotFound(object.key) : cause;
    });
    return continueFrom(first, buffers);
  });
}
