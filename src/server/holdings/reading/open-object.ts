import { PIECE_BYTES, type PieceSums } from "../../archive/piece-sums.ts";
import { inBuffers } from "../../archive/pieces.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";
import { streamOf } from "../../http/stream-of.ts";
import { newBuffer } from "../../runtime/new-buffer.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import { noteDamage } from "../checking/note-damage.ts";
import { type StoredEntry, sumsFor } from "../checking/sums-of-object.ts";
import type { KeptObject } from "../objects/kept-object.ts";
import {
  damageOf,
  fromStore,
  ObjectChanged,
  openStored,
  readStored,
  type StoreDeps,
} from "./stored-bytes.ts";

export type ObjectDeps = StoreDeps & Pick<Deps, "db" | "jobs" | "clock" | "log" | "sums" | "owners">;

export interface ReadOptions {
  /** The entry of a volume that the range lies in: all that has to be right where the volume has no sums yet. */
  entry?: StoredEntry;
}

export interface OpenOptions extends ReadOptions {
  /** What can't be read and checked in so long is checked while it is sent. */
  checkedFirstMs?: number;
  /** A file that was read whole and right within the last minute, and not written to since, is not read once more. */
  trustsLastCheck?: boolean;
  /** Of the request: nobody waits for what is checked any more. */
  signal?: AbortSignal;
}

/** What is read and checked at once of a stream, and of a file. */
const BUFFER_BYTES = 8 * PIECE_BYTES;
const SCANNED_BYTES = 16 * PIECE_BYTES;
const HASHED_AT_ONCE_BYTES = 1024 * 1024;
/** Buffers for what is read and checked beside a range; they are used again, and nothing of them is given out. */
const freeEdges: Uint8Array[] = [];
const MAX_FREE_EDGES = 16;
/** Enough for gigabytes of any disk; nobody should wait for longer before the first byte. */
const CHECKED_FIRST_MS = 10_000;

/**
 * Reads of an object wherever it lies now; the bytes are what was stored. Without `range`, the whole object, checked by
 * its SHA-256; a range by the CRC-32 of its pieces.
 * @throws {AppError} `archive.damaged`; 503 with Retry-After where its bytes are still staged on another node
 */
export async function readObject(
  deps: ObjectDeps,
  object: KeptObject,
  range?: ByteRange,
  { entry }: ReadOptions = {},
): Promise<Uint8Array> {
  try {
    if (isWhole(object, range)) return await readWhole(deps, object);
    const sums = await sumsFor(deps, object, range, entry);
    const bytes = await readMatchingInto(deps, object, sums, range);
    if (bytes) return bytes;
    const around = sums.around(range);
    const pieces = await readMatching(deps, object, sums, around);
    const start = range.offset - around.offset;
    return pieces.subarray(start, start + range.length);
  } catch (error) {
    throw await asDamage(deps, object, error);
  }
}

/**
 * As {@link readObject}, as a body to answer with. Of a disk all of it is read and checked, and then the file itself
 * answers; else it is as {@link streamObject} gives it.
 */
export async function openObject(
  deps: ObjectDeps,
  object: KeptObject,
  range: ByteRange,
  options: OpenOptions = {},
): Promise<Blob | ReadableStream<Uint8Array>> {
  if (range.length === 0) return new Blob();
  try {
    const sums = await sumsFor(deps, object, range, options.entry);
    if (await isRightFile(deps, object, sums, { range, ...options }))
      return await openStored(deps, object, range);
    return await streamMatching(deps, object, sums, range);
  } catch (error) {
    throw await asDamage(deps, object, error);
  }
}

/**
 * As {@link readObject}, as a stream: no byte of it leaves before its piece was checked, and damage ends it early. What
 * is wrong within the first 512 KiB is thrown here.
 */
export async function streamObject(
  deps: ObjectDeps,
  object: KeptObject,
  range: ByteRange,
  { entry }: ReadOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  try {
    return await streamMatching(deps, object, await sumsFor(deps, object, range, entry), range);
  } catch (error) {
    throw await asDamage(deps, object, error);
  }
}

async function streamMatching(
  deps: ObjectDeps,
  object: KeptObject,
  sums: PieceSums,
  range: ByteRange,
): Promise<ReadableStream<Uint8Array>> {
  const chunks = checkedChunks(deps, object, sums, range);
  const first = await chunks.next();
  return streamOf(asDamageOf(deps, object, first, chunks));
}

/**
 * Whether the range lies in a file that has been read and is right. False where the bytes are far, where it takes too
 * long, or where nobody waits for it any more.
 * @throws {ObjectChanged}
 */
async function isRightFile(
  deps: ObjectDeps,
  object: KeptObject,
  sums: PieceSums,
  options: OpenOptions & { range: ByteRange },
): Promise<boolean> {
  const { range, checkedFirstMs = CHECKED_FIRST_MS, trustsLastCheck, signal } = options;
  const endsAt = performance.now() + checkedFirstMs;
  const around = sums.around(range);
  return await fromStore(deps, object, async (store) => {
    if (!store.scan) return false;
    const revision = trustsLastCheck && (await store.revision?.(object.key));
    if (revision && deps.sums.isRight(object.id, revision)) return true;
    let at = around.offset;
    for await (const bytes of store.scan(object.key, around, SCANNED_BYTES)) {
      if (!sums.match(at, bytes)) throw new ObjectChanged();
      at += bytes.length;
      if (signal?.aborted || performance.now() > endsAt) return false;
    }
    if (revision && around.length === object.sizeBytes) deps.sums.noteRight(object.id, revision);
    return true;
  });
}

async function* asDamageOf(
  deps: ObjectDeps,
  object: KeptObject,
  first: IteratorResult<Uint8Array, void>,
  others: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array> {
  try {
    if (!first.done) yield first.value;
    yield* others;
  } catch (error) {
    throw await asDamage(deps, object, error);
  } finally {
    await others.return();
  }
}

/** A small object that is read at once costs one hash, and one read where its sums would take two. */
function isWhole({ sizeBytes }: KeptObject, range: ByteRange | undefined): range is undefined {
  return !range || (range.offset === 0 && range.length === sizeBytes && sizeBytes <= HASHED_AT_ONCE_BYTES);
}

async function readWhole(deps: ObjectDeps, object: KeptObject): Promise<Uint8Array> {
  const whole = { offset: 0, length: object.sizeBytes };
  const isRight = (bytes: Uint8Array) =>
    new Bun.CryptoHasher("sha256").update(bytes).digest("hex") === object.sha256;
  const bytes = await readStored(deps, object, whole);
  if (isRight(bytes)) return bytes;
  return await readAgain(deps, object, whole, isRight);
}

/**
 * As {@link readMatching}, in memory of just the range: what else belongs to its first and last piece is read into a
 * buffer for that. Undefined where the store can't read so. @throws {ObjectChanged}
 */
async function readMatchingInto(
  deps: ObjectDeps,
  object: KeptObject,
  sums: PieceSums,
  range: ByteRange,
): Promise<Uint8Array | undefined> {
  const around = sums.around(range);
  return await fromStore(deps, object, async (store) => {
    if (!store.readInto) return undefined;
    const edges = freeEdges.pop() ?? newBuffer(2 * PIECE_BYTES);
    try {
      const bytes = newBuffer(range.length);
      const before = edges.subarray(0, range.offset - around.offset);
      const behind = edges.subarray(PIECE_BYTES, PIECE_BYTES + around.length - before.length - range.length);
      const parts = [before, bytes, behind].filter(({ length }) => length > 0);
      await store.readInto(object.key, around.offset, parts);
      if (!sums.matchParts(around.offset, parts)) throw new ObjectChanged();
      return bytes;
    } finally {
      if (freeEdges.length < MAX_FREE_EDGES) freeEdges.push(edges);
    }
  });
}

async function readMatching(
  deps: ObjectDeps,
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
async function readAgain(
  deps: ObjectDeps,
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

/** Bytes of `range`, each checked before it is given on. */
async function* checkedChunks(
  deps: ObjectDeps,
  object: KeptObject,
  sums: PieceSums,
  range: ByteRange,
): AsyncGenerator<Uint8Array, void> {
  if (range.length === 0) return;
  const around = sums.around(range);
  let at = around.offset;
  for await (const chunk of inBuffers(await openStored(deps, object, around), BUFFER_BYTES)) {
    const pieces = { offset: at, length: chunk.length };
    const right = sums.match(at, chunk) ? chunk : await readMatching(deps, object, sums, pieces);
    const start = Math.max(0, range.offset - at);
    yield right.subarray(start, range.offset + range.length - at);
    at += chunk.length;
  }
  if (at !== around.offset + around.length) throw new ObjectChanged();
}

/** What a failed read is to who asked; damage is noted on the way. */
async function asDamage(deps: ObjectDeps, object: KeptObject, error: unknown): Promise<unknown> {
  const found = await damageOf(deps, object, error);
  if (!found || !(await noteDamage(deps, object, found))) return error;
  return new AppError(archiveDamaged, { cause: error });
}
