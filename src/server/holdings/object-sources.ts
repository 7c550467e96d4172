import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { statFile } from "../storage/disk/durable-file.ts";
import { isAbsent, isUnreadable } from "../storage/disk/fs-failure.ts";
import { ObjectNotFound, type ObjectStore } from "../storage/object-store.ts";

/** Where one process finds the bytes of objects. */
export interface ObjectSources {
  /** The archive store itself, without local copies of it. */
  store: ObjectStore;
  /** The file of an object, if the archive store is a folder that may be read directly. */
  storedPath: ((key: string) => string) | undefined;
  /** The node of this DATA_DIR; `undefined` if none has run. */
  nodeId: string | undefined;
  /** The file of an object in the staging area of that node. */
  stagedPath(key: string): string;
}

export interface SoughtObject {
  key: string;
  sizeBytes: number;
  /** SHA-256 of the whole object, in hexadecimal. */
  sha256: string;
  /** The node whose staging area holds the bytes, as long as the archive store does not. */
  stagedOn: string | null;
}

/** The bytes of an object in one place. */
export interface FoundBytes {
  sizeBytes: number;
  /** The file that holds them, if it may be read directly. */
  path: string | undefined;
  /** @throws {ObjectNotFound} if they are deleted meanwhile */
  read(): AsyncGenerator<Uint8Array, void>;
}

/** Bytes of one read from a remote store, which bounds what a broken connection repeats. */
const RANGE_BYTES = 8 * 1024 * 1024;
/** Bytes that are hashed without a pause: a read from memory never waits, so nothing else would run until the end. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Decides where an object's bytes are: in this node's staging area if it is staged here, and otherwise in the archive store, where
 * a transfer may have brought them meanwhile. `undefined` if neither has them; see {@link isElsewhere}.
 */
export async function findBytes(
  { store, storedPath, nodeId, stagedPath }: ObjectSources,
  { key, sizeBytes, stagedOn }: Pick<SoughtObject, "key" | "sizeBytes" | "stagedOn">,
): Promise<FoundBytes | undefined> {
  const paths = [stagedOn !== null && stagedOn === nodeId && stagedPath(key), storedPath?.(key)];
  for (const path of paths) {
    const file = path ? await statFile(path) : undefined;
    if (path && file) return { sizeBytes: file.size, path, read: () => chunksOfFile(path, key) };
  }
  if (storedPath) return undefined;
  const kept = await store.stat(key);
  if (!kept) return undefined;
  return { ...kept, path: undefined, read: () => chunksOf(store, key, Math.min(sizeBytes, kept.sizeBytes)) };
}

/** Whether another node alone can read the object, unless its transfer to the store is done. */
export function isElsewhere(
  { stagedOn }: Pick<SoughtObject, "stagedOn">,
  { nodeId }: Pick<ObjectSources, "nodeId">,
): boolean {
  return stagedOn !== null && stagedOn !== nodeId;
}

/** The result of reading an object to its end. `elsewhere`: only another node has it. `gone`: no record names it any more. */
export type Finding = "right" | "changed" | "missing" | "elsewhere" | "gone";

export interface ReadOptions {
  sources: ObjectSources;
  /** Looks the object up again, since it may be moved or deleted while it is read. */
  lookAgain: () => Promise<SoughtObject | undefined>;
  signal: AbortSignal;
  /** Called with each part that was read. */
  take?: ((chunk: Uint8Array) => void | Promise<void>) | undefined;
  /** Called before each try to read the object from its beginning. */
  begin?: (() => void) | undefined;
}

/** How often an object is looked for, since it may move to the store or be deleted meanwhile. */
const MAX_LOOKS = 3;

/**
 * Reads every byte of an object where it is and compares size and SHA-256, in constant memory.
 * @throws {StoreUnavailable} which does not mean that the object is damaged
 */
export async function readToEnd(object: SoughtObject, options: ReadOptions): Promise<Finding> {
  const { sources, lookAgain } = options;
  let expected = object;
  for (let look = 1; ; look++) {
    const found = await findingOf(expected, options);
    if (found === "right") return "right";
    const now = await lookAgain();
    if (!now) return "gone";
    if (look === MAX_LOOKS || now.stagedOn === expected.stagedOn)
      return found === "missing" && isElsewhere(now, sources) ? "elsewhere" : found;
    expected = now;
  }
}

async function findingOf(
  object: SoughtObject,
  { sources, signal, take, begin }: ReadOptions,
): Promise<"right" | "changed" | "missing"> {
  const found = await findBytes(sources, object);
  if (!found) return "missing";
  if (found.sizeBytes !== object.sizeBytes) return "changed";
  begin?.();
  const hasher = new Bun.CryptoHasher("sha256");
  let sizeBytes = 0;
  try {
    for await (const chunk of found.read()) {
      signal.throwIfAborted();
      hasher.update(chunk);
      sizeBytes += chunk.length;
      await take?.(chunk);
    }
  } catch (error) {
    if (error instanceof ObjectNotFound) return "missing";
    if (isUnreadable(error)) return "changed";
    throw error;
  }
  return sizeBytes === object.sizeBytes && hasher.digest("hex") === object.sha256 ? "right" : "changed";
}

async function* chunksOf(
  store: ObjectStore,
  key: string,
  sizeBytes: number,
): AsyncGenerator<Uint8Array, void> {
  for (let offset = 0; offset < sizeBytes; offset += RANGE_BYTES) {
    const range = await store.read(key, { offset, length: Math.min(RANGE_BYTES, sizeBytes - offset) });
    for (let at = 0; at < range.length; at += CHUNK_BYTES) {
      yield range.subarray(at, at + CHUNK_BYTES);
      await setImmediate();
    }
  }
}

/** A chunk is valid until the next is asked for. */
async function* chunksOfFile(path: string, key: string): AsyncGenerator<Uint8Array, void> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    throw isAbsent(error) ? new ObjectNotFound(key) : error;
  });
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
  }
}
