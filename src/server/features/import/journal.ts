import { type FileHandle, mkdir, open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readAt } from "../../storage/disk/durable-file.ts";
import { namesIn } from "../../storage/disk/list-files.ts";
import type { FoundFile } from "./found-file.ts";

const KEY_BYTES = 16;
/** Files that a journal remembers; of a longer one the last ones count. A file that is forgotten is sent again, and found there. */
const MAX_FILES = 2_000_000;
const MAX_JOURNALS = 20;

/**
 * The files that an unfinished import is done with, by account, path, size and time of change. Without it an import would send
 * everything again, and find it there. It holds hashes, since paths may name people.
 */
export interface Journal extends AsyncDisposable {
  has(file: FoundFile): boolean;
  /** Resolves when the files are remembered durably. */
  add(files: readonly FoundFile[]): Promise<void>;
  /** Forgets everything: the import is complete. */
  remove(): Promise<void>;
}

/** Opens the journal at `path`, or begins it. */
export async function openJournal(path: string, accountId: string): Promise<Journal> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, "a+", 0o600);
  const known = await readKnown(file);
  return {
    has: (found) => known.has(keyOf(accountId, found)),
    async add(files) {
      if (files.length === 0) return;
      await file.appendFile(Buffer.concat(files.map((found) => keyOf(accountId, found))));
      await file.datasync();
    },
    remove: () => rm(path, { force: true }),
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** The journal of an import of these paths, in a folder that keeps only the latest ones. */
export async function journalPath(
  folder: string,
  accountId: string,
  paths: readonly string[],
): Promise<string> {
  await removeOldest(folder);
  const name = digest([accountId, ...paths]).toString("hex");
  return join(folder, `${name}.journal`);
}

async function removeOldest(folder: string): Promise<void> {
  const names = await namesIn(folder);
  const journals = await Promise.all(
    names.map(async (name) => ({ name, modifiedMs: (await stat(join(folder, name))).mtimeMs })),
  );
  journals.sort((a, b) => b.modifiedMs - a.modifiedMs);
  for (const { name } of journals.slice(MAX_JOURNALS)) await rm(join(folder, name), { force: true });
}

function keyOf(accountId: string, { path, sizeBytes, modifiedNs }: FoundFile): Buffer {
  return digest([accountId, path, String(sizeBytes), String(modifiedNs)]);
}

function digest(parts: readonly string[]): Buffer {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest().subarray(0, KEY_BYTES);
}

async function readKnown(file: FileHandle): Promise<KeySet> {
  const { size } = await file.stat();
  // A cut last key would shift all that are added after it.
  const wholeBytes = size - (size % KEY_BYTES);
  if (wholeBytes < size) await file.truncate(wholeBytes);
  const keptBytes = Math.min(wholeBytes, MAX_FILES * KEY_BYTES);
  const bytes = Buffer.alloc(keptBytes);
  await readAt(file, wholeBytes - keptBytes, bytes);
  return new KeySet(bytes);
}

/** A set of random keys in one block of memory: 32 to 64 bytes for each. */
class KeySet {
  readonly #slots: Buffer;
  readonly #mask: number;

  constructor(keys: Buffer) {
    const count = keys.length / KEY_BYTES;
    const slots = 2 ** Math.ceil(Math.log2(2 * count + 1));
    this.#slots = Buffer.alloc(slots * KEY_BYTES);
    this.#mask = slots - 1;
    for (let at = 0; at < keys.length; at += KEY_BYTES) {
      const key = keys.subarray(at, at + KEY_BYTES);
      key.copy(this.#slots, this.#find(key));
    }
  }

  has(key: Buffer): boolean {
    return !isFree(this.#slots, this.#find(key));
  }

  /** Where the key is, or where it would be. There is always a free slot. */
  #find(key: Buffer): number {
    for (let slot = key.readUInt32LE(0) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * KEY_BYTES;
      if (isFree(this.#slots, at) || this.#slots.subarray(at, at + KEY_BYTES).equals(key)) return at;
    }
  }
}

/** No hash is zero in its first half, for any purpose here. */
function isFree(slots: Buffer, at: number): boolean {
  return slots.readUInt32LE(at) === 0 && slots.readUInt32LE(at + 4) === 0;
}
