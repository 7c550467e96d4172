import { PIECE_BYTES, type PieceSums } from "../../archive/piece-sums.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";
import { streamOf } from "../../http/stream-of.ts";
import { continueFrom } from "../../runtime/continue-from.ts";
import { type LentBytes, ownBytes } from "../../runtime/lent-bytes.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import { noteDamage } from "../checking/note-damage.ts";
import { type StoredEntry, soundEntrySums, sumsFor } from "../checking/sums-of-object.ts";
import type { KeptObject } from "../objects/kept-object.ts";
import { checkedChunks, lendMatching, readAgain, readMatchingRange } from "./matching-bytes.ts";
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

/** Bytes of a file that are read and checked at once. */
const SCANNED_BYTES = 16 * PIECE_BYTES;
const HASHED_AT_ONCE_BYTES = 1024 * 1024;
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
    return await streamMatching(deps, object, sums, { range, ...options });
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
  const read = (sums: PieceSums) => streamMatching(deps, object, sums, { range, entry });
  return await readBySums(deps, object, { range, entry }, read);
}

type RangeOptions = ReadOptions & { range: ByteRange };

/** Reads against the sums of the object's pieces, or, if these have changed, against those of an entry that is right itself. */
async function readBySums<Result>(
  deps: ObjectDeps,
  object: KeptObject,
  options: RangeOptions,
  read: (sums: PieceSums) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(await sumsFor(deps, object, options.range, options.entry));
  } catch (error) {
    const sums = await sumsAfter(deps, object, options, error);
    return await read(sums).catch(async (failure) => {
      throw await asDamage(deps, object, failure);
    });
  }
}

/** Records the damage that a failed read proves, and throws it unless the entry is right: then it returns the sums of the entry. */
async function sumsAfter(
  deps: ObjectDeps,
  object: KeptObject,
  { range, entry }: RangeOptions,
  error: unknown,
): Promise<PieceSums> {
  const damage = await asDamage(deps, object, error);
  const isChanged = damage !== error && error instanceof ObjectChanged;
  const sums = isChanged ? await soundEntrySums(deps, object, range, entry) : undefined;
  if (!sums) throw damage;
  return sums;
}

async function streamMatching(
  deps: ObjectDeps,
  object: KeptObject,
  sums: PieceSums,
  options: RangeOptions,
): Promise<ReadableStream<Uint8Array>> {
  const chunks = asDamageOf(deps, object, soundChunks(deps, object, sums, options));
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

/** As {@link checkedChunks}, but goes on by the sums of the entry where a piece has changed and the entry has not. */
async function* soundChunks(
  deps: ObjectDeps,
  object: KeptObject,
  sums: PieceSums,
  options: RangeOptions,
): AsyncGenerator<Uint8Array, void> {
  const { offset, length } = options.range;
  let sent = 0;
  try {
    for await (const chunk of checkedChunks(deps, object, sums, options.range)) {
      yield chunk;
      sent += chunk.length;
    }
  } catch (error) {
    if (!(error instanceof ObjectChanged)) throw error;
    const rest = { offset: offset + sent, length: length - sent };
    yield* checkedChunks(deps, object, await sumsAfter(deps, object, options, error), rest);
  }
}

/** Turns a failed read into the caller's error; records damage. */
async function asDamage(deps: ObjectDeps, object: KeptObject, error: unknown): Promise<unknown> {
  const found = await damageOf(deps, object, error);
  if (!found || !(await noteDamage(deps, object, found))) return error;
  return new AppError(archiveDamaged, { cause: error });
}
