import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { METHOD_STORED } from "../../../shared/zip/zip-format.ts";
import { isInflateFailure } from "../../archive/inflate-failure.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { PieceSummer, PieceSums } from "../../archive/piece-sums.ts";
import { inBuffers } from "../../archive/pieces.ts";
import type { Deps } from "../../deps.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import type { KeptObject } from "../objects/kept-object.ts";
import { ObjectChanged, openStored, type StoreDeps } from "../reading/stored-bytes.ts";
import { findObjectSums, saveObjectSums } from "./object-sums.repo.ts";

type SumDeps = StoreDeps & Pick<Deps, "db" | "sums">;

/** An entry of a volume, with the CRC-32 of its content. */
export type StoredEntry = Pick<
  ManifestInstance,
  "dataOffset" | "storedBytes" | "sizeBytes" | "method" | "crc32"
>;

const BUFFER_BYTES = 512 * 1024;
/** What is read at most to answer a part of an entry. */
const MAX_SOUND_ENTRY_BYTES = 16 * 1024 * 1024;

/**
 * Returns the sums against which bytes of `range` are checked. A volume has sums since it was written. Otherwise the whole file is
 * read and checked by its SHA-256, or the `entry` by its CRC-32, and summed at the same time.
 * @throws {ObjectChanged}
 */
export async function sumsFor(
  deps: SumDeps,
  object: KeptObject,
  range: ByteRange,
  entry: StoredEntry | undefined,
): Promise<PieceSums> {
  const known = deps.sums.get(object.id);
  if (known) return known;
  const whole = { offset: 0, length: object.sizeBytes };
  const stored = object.kind === "volume" ? await findObjectSums(deps.db, object.id) : undefined;
  if (stored) {
    const sums = new PieceSums(whole, stored);
    deps.sums.set(object.id, sums);
    return sums;
  }
  if (entry && isWithin(range, entry)) return await sumsOfEntry(deps, object, entry);
  return await deps.sums.getOrMake(object.id, () => sumWhole(deps, object));
}

/**
 * Returns the sums of an entry that is right although a piece of the volume, which it shares with others, is not. Undefined if the
 * entry has changed, or had lately, if the range is not within it, or if it is too large to be read for one answer.
 */
export async function soundEntrySums(
  deps: SumDeps,
  object: KeptObject,
  range: ByteRange,
  entry: StoredEntry | undefined,
): Promise<PieceSums | undefined> {
  if (!entry || !isWithin(range, entry) || entry.sizeBytes > MAX_SOUND_ENTRY_BYTES) return undefined;
  if (deps.sums.isChanged(entryKey(object, entry))) return undefined;
  try {
    return await sumsOfEntry(deps, object, entry);
  } catch (error) {
    if (error instanceof ObjectChanged) return undefined;
    throw error;
  }
}

async function sumsOfEntry(deps: SumDeps, object: KeptObject, entry: StoredEntry): Promise<PieceSums> {
  const key = entryKey(object, entry);
  try {
    return await deps.sums.getOrMake(key, () => readTwice(deps, object, () => sumEntry(deps, object, entry)));
  } catch (error) {
    if (error instanceof ObjectChanged) deps.sums.noteChanged(key);
    throw error;
  }
}

function entryKey({ id }: KeptObject, { dataOffset }: StoredEntry): string {
  return `${id} ${dataOffset}`;
}

function isWithin({ offset, length }: ByteRange, { dataOffset, storedBytes }: StoredEntry): boolean {
  return offset >= dataOffset && offset + length <= dataOffset + storedBytes;
}

/**
 * Reads a whole object in constant memory and compares its SHA-256; stores a volume's sums permanently.
 * @throws {ObjectChanged}
 */
async function sumWhole(deps: SumDeps, object: KeptObject): Promise<PieceSums> {
  const whole = { offset: 0, length: object.sizeBytes };
  const crc32s = await readTwice(deps, object, async () => {
    const sha256 = new Bun.CryptoHasher("sha256");
    const pieces = new PieceSummer();
    for await (const chunk of inBuffers(await openStored(deps, object, whole), BUFFER_BYTES)) {
      sha256.update(chunk);
      pieces.update(chunk);
      // Reading a file never waits, so without this pause nothing else would run until the whole file is hashed.
      await setImmediate();
    }
    if (sha256.digest("hex") !== object.sha256) throw new ObjectChanged();
    return pieces.digest();
  });
  if (object.kind === "volume") await saveObjectSums(deps.db, object.id, crc32s);
  return new PieceSums(whole, crc32s);
}

/** Reads again after a mismatch, since the local copy, which is dropped, may be wrong. */
async function readTwice<Result>(
  { cache }: SumDeps,
  { key }: KeptObject,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!cache || !(error instanceof ObjectChanged)) throw error;
    await cache.dropCopy(key);
    return await read();
  }
}

async function sumEntry(deps: SumDeps, object: KeptObject, entry: StoredEntry): Promise<PieceSums> {
  const run = { offset: entry.dataOffset, length: entry.storedBytes };
  const pieces = new PieceSummer();
  const summed = (async function* () {
    for await (const chunk of inBuffers(await openStored(deps, object, run), BUFFER_BYTES)) {
      pieces.update(chunk);
      yield chunk;
      await setImmediate();
    }
  })();
  const { sum, sizeBytes } = await sumContent(
    entry.method === METHOD_STORED ? summed : inflated(summed),
    entry,
  );
  if (sum !== entry.crc32 || sizeBytes !== entry.sizeBytes) throw new ObjectChanged();
  return new PieceSums(run, pieces.digest());
}

/** Sums no more bytes than the entry has; content that can't be inflated has changed. */
async function sumContent(
  content: AsyncIterable<Uint8Array>,
  entry: StoredEntry,
): Promise<{ sum: number; sizeBytes: number }> {
  let sum = 0;
  let sizeBytes = 0;
  try {
    for await (const chunk of content) {
      sum = crc32(chunk, sum);
      sizeBytes += chunk.length;
      if (sizeBytes > entry.sizeBytes) break;
    }
  } catch (cause) {
    throw isInflateFailure(cause) ? new ObjectChanged("", { cause }) : cause;
  }
  return { sum, sizeBytes };
}

function inflated(deflated: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const source = Readable.from(deflated, { objectMode: true });
  const inflater = createInflateRaw({ chunkSize: BUFFER_BYTES });
  source.once("error", (error) => inflater.destroy(error));
  inflater.once("close", () => source.destroy());
  return source.pipe(inflater);
}
