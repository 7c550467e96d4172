import { PIECE_BYTES, type PieceSums } from "../../archive/piece-sums.ts";
import { inBuffers } from "../../archive/pieces.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";
import { streamOf } from "../../http/stream-of.ts";
import { continueFrom } from "../../runtime/continue-from.ts";
import { LentBuffers, type LentBytes, ownBytes } from "../../runtime/lent-bytes.ts";
import { isAbsent } from "../../storage/disk/fs-failure.ts";
import { type ByteRange, ObjectNotFound } from "../../storage/object-store.ts";
import { noteDamage } from "../checking/note-damage.ts";
import { type StoredEntry, soundEntrySums, sumsFor } from "../checking/sums-of-object.ts";
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
  /**
   * The volume's entry that contains the range. It alone is checked if the volume has no sums yet, or if a piece that it shares with
   * other entries has changed.
   */
  entry?: StoredEntry;
}

export interface OpenOptions extends ReadOptions {
  /** A body that can't be read and checked within this time is checked while it is sent. */
  checkedFirstMs?: number;
  /** Whether to skip reading a whole file that was found correct within the last minute and was not written since. */
  trustsLastCheck?: boolean;
  /** The request's signal, which ends a check that nobody waits for. */
  signal?: AbortSignal;
}

/** Bytes read and checked at once, of a stream or a file. */
const BUFFER_BYTES = 8 * PIECE_BYTES;
const SCANNED_BYTES = 16 * PIECE_BYTES;
const HASHED_AT_ONCE_BYTES = 1024 * 1024;
/** Ranges up to this size are read into reused buffers. */
const MAX_LENT_BYTES = 2 * 1024 * 1024;
const buffers = new LentBuffers(MAX_LENT_BYTES + 2 * PIECE_BYTES);
/** Enough to read gigabytes from any disk; clients should not wait longer for the first byte. */
const CHECKED_FIRST_MS = 10_000;

/**
 * Reads from an object wherever it is now; the returned bytes are as they were stored. Without `range`, the whole object is read
 * and checked by its SHA-256; a range is checked by the CRC-32 of its pieces.
 * @throws {AppError} `archive.damaged`; 503 with Retry-After if its bytes are still staged on another node
 */
export async function readObject(
  deps: ObjectDeps,
  object: KeptObject,
  range?: ByteRange,
  { entry }: ReadOptions = {},
): Promise<Uint8Array> {
  if (isWhole(object, range)) return await readWhole(deps, object);
  return await readBySums(deps, object, { range, entry }, async (sums) => {
    const lent = await lendMatching(deps, object, sums, range);
    if (!lent) return await readMatchingRange(deps, object, sums, range);
    const bytes = lent.bytes.slice();
    lent.release();
    return bytes;
  });
}

/**
 * As {@link readObject}, but a short range of an object on a disk lies in a buffer that is used again once the caller releases it.
 */
export async function borrowObject(
  deps: ObjectDeps,
  object: KeptObject,
  range: ByteRange,
  { entry }: ReadOptions = {},
): Promise<LentBytes> {
  return await readBySums(deps, object, { range, entry }, async (sums) => {
    const lent = await lendMatching(deps, object, sums, range);
    return lent ?? ownBytes(await readMatchingRange(deps, object, sums, range));
  });
}

/**
 * As {@link readObject}, but returns a body. An object on a disk is read and checked in full, and then the file itself is the body;
 * otherwise the body is that of {@link streamObject}.
 */
export async function openObject(
  deps: ObjectDeps,
  object: KeptObject,
  range: ByteRange,
  options: OpenOptions = {},
): Promise<Blob | ReadableStream<Uint8Array>> {
  if (range.length === 0) return new Blob();
  return await readBySums(deps, object, { range, entry: options.entry }, async (sums) => {
    const isRight = await isRightFile(deps, object, sums, { range, ...options });
    // The runtime opens a file only after the answer began, and a staged one may have been moved away by then.
    if (isRight && object.location === "archive") return await openStored(deps, object, range);
    return await streamMatching(deps, object, sums, range);
  });
}

/**
 * As {@link readObject}, but returns a stream: each piece is checked before it is sent, and damage ends the stream early. Damage
 * within the first 512 KiB is thrown here.
 */
export async function streamObject(
  deps: ObjectDeps,
  object: KeptObject,
  range: ByteRange,
  { entry }: ReadOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const read = (sums: PieceSums) => streamMatching(deps, object, sums, range);
  return await readBySums(deps, object, { range, entry }, read);
}

/**
 * Reads against the sums of the object's pieces. If these have changed, damage is recorded, and an entry that is right itself is read
 * against its own.
 */
async function readBySums<Result>(
  deps: ObjectDeps,
  object: KeptObject,
  { range, entry }: ReadOptions & { range: ByteRange },
  read: (sums: PieceSums) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(await sumsFor(deps, object, range, entry));
  } catch (error) {
    const damage = await asDamage(deps, object, error);
    const isChanged = damage instanceof AppError && damage.cause instanceof ObjectChanged;
    const sums = isChanged ? await soundEntrySums(deps, object, range, entry) : undefined;
    if (!sums) throw damage;
    return await read(sums).catch(async (failure) => {
      throw await asDamage(deps, object, failure);
    });
  }
}

async function streamMatching(
  deps: ObjectDeps,
  object: KeptObject,
  sums: PieceSums,
  range: ByteRange,
): Promise<ReadableStream<Uint8Array>> {
  const chunks = asDamageOf(deps, object, checkedChunks(deps, object, sums, range));
  return streamOf(continueFrom(await chunks.next(), chunks));
}

/**
 * Whether the range is in a local file that was read and is correct. False if the bytes are remote, if reading takes too long, or
 * if nobody waits for it any more.
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
  chunks: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw await asDamage(deps, object, error);
  }
}

/** Opens a range by reading its first buffer: an open file stays readable when it is moved away. */
async function openBuffers(
  deps: ObjectDeps,
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

/** Whether to read the whole object: a small one then costs one hash and one read, while its sums would take two reads. */
function isWhole({ sizeBytes }: KeptObject, range: ByteRange | undefined): range is undefined {
  return !range || (range.offset === 0 && range.length === sizeBytes && sizeBytes <= HASHED_AT_ONCE_BYTES);
}

async function readWhole(deps: ObjectDeps, object: KeptObject): Promise<Uint8Array> {
  const whole = { offset: 0, length: object.sizeBytes };
  const isRight = (bytes: Uint8Array) =>
    new Bun.CryptoHasher("sha256").update(bytes).digest("hex") === object.sha256;
  try {
    const bytes = await readStored(deps, object, whole);
    return isRight(bytes) ? bytes : await readAgain(deps, object, whole, isRight);
  } catch (error) {
    throw await asDamage(deps, object, error);
  }
}

/**
 * Lends the range, read and checked. Undefined if it is long, or if the store can't fill a given buffer.
 * @throws {ObjectChanged}
 */
async function lendMatching(
  deps: ObjectDeps,
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
async function readMatchingRange(
  deps: ObjectDeps,
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

/** Yields the bytes of `range`; each is checked before. */
async function* checkedChunks(
  deps: ObjectDeps,
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

/** Turns a failed read into the caller's error; records damage. */
async function asDamage(deps: ObjectDeps, object: KeptObject, error: unknown): Promise<unknown> {
  const found = await damageOf(deps, object, error);
  if (!found || !(await noteDamage(deps, object, found))) return error;
  return new AppError(archiveDamaged, { cause: error });
}
