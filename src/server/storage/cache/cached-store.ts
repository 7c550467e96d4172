import { mkdir } from "node:fs/promises";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { DiskFull, type DiskRoom } from "../disk/disk-room.ts";
import { readAt } from "../disk/durable-file.ts";
import { onDisk } from "../disk/fs-failure.ts";
import { assertObjectKey, type ByteRange, ObjectNotFound, type ObjectStore } from "../object-store.ts";
import { assertByteRange } from "../preconditions.ts";
import {
  type CachedFile,
  hashOfKey,
  isIntact,
  markUsed,
  readCacheFolder,
  writeCacheFile,
} from "./cache-files.ts";
import { createCacheIndex } from "./cache-index.ts";
import { cachedBody, openCached } from "./cached-body.ts";
import { createDownloadSlots } from "./download-slots.ts";

export interface CachedStoreOptions {
  /** What has the objects. */
  store: ObjectStore;
  /** A folder of its own for the copies; made where missing. */
  dir: string;
  maxBytes: number;
  /** Downloads at once. */
  concurrency?: number;
  /** `sweepUnfinished` also removes copies not used for this long: of those deleted by another node, none stays. */
  maxIdleMs?: number;
  clock?: Clock;
  /** Where the copies lie: none is made that it has no room for. Without it only `maxBytes` holds. */
  disk?: Pick<DiskRoom, "reserve">;
}

export interface CachedStore extends ObjectStore {
  /**
   * Makes reads of the object come from this machine. Resolves to whether they do: not where it is larger than the
   * cache, the disk has no room for it, or too many downloads wait. Calls for one key at a time share one download.
   */
  warm(key: string): Promise<boolean>;
  /** Removes the copy, whose bytes were found to be wrong: the next read asks the store. */
  dropCopy(key: string): Promise<void>;
}

const MAX_WAITING = 256;
const DAY_MS = 86_400_000;

/**
 * `store` with copies of what was {@link CachedStore.warm}ed. A copy is served only after it was read whole by this
 * process: while it was downloaded or, after a restart, when it is warmed again.
 */
export async function createCachedStore(options: CachedStoreOptions): Promise<CachedStore> {
  const { store, dir, maxBytes, concurrency = 2, maxIdleMs = DAY_MS, clock = systemClock, disk } = options;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const index = createCacheIndex(await readCacheFolder(dir), maxBytes, clock);
  const slots = createDownloadSlots(concurrency, MAX_WAITING);
  const warming = new Map<string, Warming>();

  /** Stops a download of the object and removes its copy. */
  async function forget(key: string): Promise<void> {
    const keyHash = hashOfKey(key);
    const running = warming.get(keyHash);
    warming.delete(keyHash);
    running?.stop.abort();
    if (running?.isRunning) await Promise.allSettled([running.done]);
    await onDisk(() => index.drop(keyHash));
  }

  /** Runs `change` with no copy of the object before it, which could outlive a crash, nor after it. */
  async function changing(key: string, change: () => Promise<void>): Promise<void> {
    assertObjectKey(key);
    await forget(key);
    await change();
    await forget(key);
  }

  async function makeCopy(key: string, signal: AbortSignal): Promise<boolean> {
    const keyHash = hashOfKey(key);
    signal.throwIfAborted();
    const object = await store.stat(key);
    if (!object) {
      await index.drop(keyHash);
      throw new ObjectNotFound(key);
    }
    if (await takeOver(keyHash, object.sizeBytes)) return true;
    using room = await index.reserve(object.sizeBytes);
    if (!room) return false;
    using promised = await disk?.reserve(object.sizeBytes).catch(isFull);
    if (disk && !promised) return false;
    const expected = { sizeBytes: object.sizeBytes, signal };
    room.fill(await writeCacheFile(dir, keyHash, () => openWhole(key), expected));
    return true;
  }

  /** Whether the copy of an earlier process, still intact, now serves. */
  async function takeOver(keyHash: string, sizeBytes: number): Promise<boolean> {
    const file = index.unverified(keyHash);
    if (!file) return false;
    const isGood =
      file.sizeBytes === sizeBytes && (await isIntact(file)) && (await markUsed(file, clock.now()));
    if (isGood && index.verify(keyHash)) return true;
    await index.drop(keyHash);
    return false;
  }

  async function openWhole(key: string): Promise<AsyncIterable<Uint8Array>> {
    const body = await store.open(key);
    return body instanceof Blob ? body.stream() : body;
  }

  function startWarming(key: string, keyHash: string): Promise<boolean> {
    const stop = new AbortController();
    const entry: Warming = { stop, isRunning: false, done: Promise.resolve(false) };
    const task = slots.run(async () => {
      entry.isRunning = true;
      return onDisk(() => makeCopy(key, stop.signal));
    });
    if (!task) return entry.done;
    warming.set(keyHash, entry);
    entry.done = task.finally(() => {
      if (warming.get(keyHash) === entry) warming.delete(keyHash);
    });
    return entry.done;
  }

  /** The copy that has the range; a range past its end is for the store to refuse. */
  function copyFor(key: string, range?: ByteRange): CachedFile | undefined {
    const file = index.use(hashOfKey(key));
    return file && (range ? range.offset + range.length : 0) <= file.sizeBytes ? file : undefined;
  }

  return {
    kind: store.kind,
    stat: (key) => store.stat(key),
    list: (prefix) => store.list(prefix),
    check: () => store.check(),

    putFile: (key, path, options) => changing(key, () => store.putFile(key, path, options)),
    putBytes: (key, bytes) => changing(key, () => store.putBytes(key, bytes)),
    delete: (key) => changing(key, () => store.delete(key)),

    async warm(key) {
      assertObjectKey(key);
      const keyHash = hashOfKey(key);
      const running = warming.get(keyHash);
      if (running) return running.done;
      const file = index.use(keyHash);
      if (!file) return startWarming(key, keyHash);
      if (await onDisk(() => markUsed(file, clock.now()))) return true;
      await onDisk(() => index.drop(keyHash));
      return warming.get(keyHash)?.done ?? startWarming(key, keyHash);
    },

    async dropCopy(key) {
      assertObjectKey(key);
      await forget(key);
    },

    async read(key, range) {
      assertObjectKey(key);
      assertByteRange(range);
      const file = copyFor(key, range);
      const bytes = file && (await onDisk(() => readCopy(file, range)));
      if (bytes) return bytes;
      if (file) await onDisk(() => index.drop(file.keyHash));
      return store.read(key, range);
    },

    async open(key, range) {
      assertObjectKey(key);
      if (range) assertByteRange(range);
      const file = copyFor(key, range);
      if (!file) return store.open(key, range);
      return cachedBody(file, range ?? { offset: 0, length: file.sizeBytes }, async () => {
        await onDisk(() => index.drop(file.keyHash));
        return store.open(key, range);
      });
    },

    async sweepUnfinished(olderThan, ours) {
      await onDisk(() => index.dropUnused(new Date(clock.now().getTime() - maxIdleMs)));
      return store.sweepUnfinished(olderThan, ours);
    },

    endUnfinished: (prefix) => store.endUnfinished(prefix),
  };
}

interface Warming {
  done: Promise<boolean>;
  stop: AbortController;
  /** Has its slot; before that it may wait long for one. */
  isRunning: boolean;
}

/** A copy is a convenience: what the disk has no room for is read from the store. */
function isFull(error: unknown): undefined {
  if (!(error instanceof DiskFull)) throw error;
}

/** `undefined` where the copy is gone or not whole. */
async function readCopy(file: CachedFile, { offset, length }: ByteRange): Promise<Uint8Array | undefined> {
  await using handle = await openCached(file);
  const bytes = new Uint8Array(length);
  return handle && (await readAt(handle, offset, bytes)) === length ? bytes : undefined;
}
