import { mkdir } from "node:fs/promises";
import { DAY_MS } from "../../../shared/units.ts";
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
import { createRunningDownloads } from "./running-downloads.ts";

export interface CachedStoreOptions {
  /** The store that has the objects. */
  store: ObjectStore;
  /** A folder for the copies alone. It is made if it is missing. */
  dir: string;
  maxBytes: number;
  /** How many downloads run at once. */
  concurrency?: number;
  clock?: Clock;
  /** Room on the disk that holds the copies. Without it, only `maxBytes` limits them. */
  disk?: Pick<DiskRoom, "reserve">;
}

export interface CachedStore extends ObjectStore {
  /**
   * Downloads the object, so that reads of it come from this machine. Resolves to `false` if it is larger than the cache,
   * the disk has no room for it, or too many downloads wait. Concurrent calls for one key share one download.
   */
  warm(key: string): Promise<boolean>;
  /**
   * Removes a copy that served wrong bytes, so the next read asks the store. A copy of an earlier process, which does not serve yet,
   * stays: it may be the only right one.
   */
  dropCopy(key: string): Promise<void>;
  /** The file of the copy, which may be wrong and may be removed at any time. */
  copyPath(key: string): string | undefined;
  /** The store that has the objects, without the copies. */
  readonly origin: ObjectStore;
}

const MAX_WAITING = 256;
/** `sweepUnfinished` also removes copies not used for this long, such as those of objects that another node deleted. */
const MAX_IDLE_MS = DAY_MS;

/**
 * Wraps `store` and keeps local copies of objects that were {@link CachedStore.warm}ed. A copy is served only after this
 * process has read all of it: during the download or, after a restart, when it is warmed again.
 */
export async function createCachedStore(options: CachedStoreOptions): Promise<CachedStore> {
  const { store, dir, maxBytes, concurrency = 2, clock = systemClock, disk } = options;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const index = createCacheIndex(await readCacheFolder(dir), maxBytes, clock);
  const downloads = createRunningDownloads(createDownloadSlots(concurrency, MAX_WAITING));

  /** Stops a download of the object and removes its copy. */
  async function forget(key: string): Promise<void> {
    const keyHash = hashOfKey(key);
    await downloads.stop(keyHash);
    await onDisk(() => index.drop(keyHash));
  }

  /** Runs `change` and makes sure that no copy of the object survives it, even if the process crashes meanwhile. */
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

  /** Verifies the copy of an earlier process. Resolves to whether it now serves. */
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

  const download = (key: string, keyHash: string) =>
    downloads.start(keyHash, (signal) => onDisk(() => makeCopy(key, signal)));

  /** The copy if it covers the range. The store refuses a range past the end. */
  function copyFor(key: string, range?: ByteRange): CachedFile | undefined {
    const file = index.use(hashOfKey(key));
    return file && (range ? range.offset + range.length : 0) <= file.sizeBytes ? file : undefined;
  }

  return {
    kind: store.kind,
    stat: (key) => store.stat(key),
    list: (prefix) => store.list(prefix),
    check: () => store.check(),
    refusal: () => store.refusal?.(),

    putFile: (key, path, options) => changing(key, () => store.putFile(key, path, options)),
    putBytes: (key, bytes) => changing(key, () => store.putBytes(key, bytes)),
    delete: (key) => changing(key, () => store.delete(key)),

    async warm(key) {
      assertObjectKey(key);
      const keyHash = hashOfKey(key);
      const running = downloads.find(keyHash);
      if (running) return running;
      const file = index.use(keyHash);
      if (!file) return download(key, keyHash);
      if (await onDisk(() => markUsed(file, clock.now()))) return true;
      await onDisk(() => index.drop(keyHash));
      return downloads.find(keyHash) ?? download(key, keyHash);
    },

    async dropCopy(key) {
      assertObjectKey(key);
      if (!index.unverified(hashOfKey(key))) await forget(key);
    },

    copyPath: (key) => index.find(hashOfKey(key))?.path,
    origin: store,

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
      await onDisk(() => index.dropUnused(new Date(clock.now().getTime() - MAX_IDLE_MS)));
      return store.sweepUnfinished(olderThan, ours);
    },

    endUnfinished: (prefix) => store.endUnfinished(prefix),
  };
}

/** A copy is optional: an object that the disk has no room for is read from the store. */
function isFull(error: unknown): undefined {
  if (!(error instanceof DiskFull)) throw error;
}

/** `undefined` if the copy is gone or not whole. */
async function readCopy(file: CachedFile, { offset, length }: ByteRange): Promise<Uint8Array | undefined> {
  await using handle = await openCached(file);
  const bytes = new Uint8Array(length);
  return handle && (await readAt(handle, offset, bytes)) === length ? bytes : undefined;
}
