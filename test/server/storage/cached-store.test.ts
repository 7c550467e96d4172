import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CachedStore,
  type CachedStoreOptions,
  createCachedStore,
} from "../../../src/server/storage/cache/cached-store.ts";
import { createDiskRoom } from "../../../src/server/storage/disk/disk-room.ts";
import { ObjectNotFound, StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import { bytesOf, describeObjectStore, patterned } from "../../contract/object-store.suite.ts";
import {
  type FaultyS3Server,
  type SeenRequest,
  startFaultyS3Server,
} from "../../support/store/faulty-s3-server.ts";

const everything = async (keys: readonly string[]) => new Set(keys);

const STORAGE = join(import.meta.dir, "../../../src/server/storage");
const PART_BYTES = 5 << 20;

describeObjectStore("s3 behind a cache", async () => {
  const server = await startFaultyS3Server();
  const dir = await mkdtemp(join(tmpdir(), "cached-store-"));
  const options = { ...server.options, partSizeBytes: PART_BYTES, pageSize: 5 };
  return {
    store: await createCachedStore({ store: createS3Store(options), dir, maxBytes: 1 << 30 }),
    childScript: `import { createS3Store } from ${JSON.stringify(join(STORAGE, "s3/s3-store"))};
      import { createCachedStore } from ${JSON.stringify(join(STORAGE, "cache/cached-store"))};
      const s3 = createS3Store(${JSON.stringify(options)});
      const store = await createCachedStore({ store: s3, dir: ${JSON.stringify(`${dir}-child`)}, maxBytes: 1e9 });`,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      for (const folder of [dir, `${dir}-child`]) await rm(folder, { recursive: true, force: true });
    },
  };
});

describe("cached store", () => {
  let dir: string;
  let server: FaultyS3Server;
  let store: CachedStore;
  const bytes = patterned(1_000_000);

  const open = (options: Partial<CachedStoreOptions> = {}) =>
    createCachedStore({ store: createS3Store(server.options), dir, maxBytes: 2_500_000, ...options });
  const isGet = ({ method, key }: SeenRequest) => method === "GET" && key !== "";
  const gets = () => server.seen.filter(isGet).length;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "cached-store-"));
    server = await startFaultyS3Server();
    store = await open();
    for (const key of ["a", "b", "c", "d"]) await store.putBytes(key, bytes);
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(dir, { recursive: true, force: true });
  });

  /** Reads it all three ways and says whether the store was asked. */
  async function asksStore(cached: CachedStore, key: string): Promise<boolean> {
    const before = gets();
    expect(Bun.hash(await bytesOf(await cached.open(key)))).toBe(Bun.hash(bytes));
    const range = { offset: 70_001, length: 400_000 };
    const part = bytes.subarray(range.offset, range.offset + range.length);
    expect(Bun.hash(await bytesOf(await cached.open(key, range)))).toBe(Bun.hash(part));
    expect(Bun.hash(await cached.read(key, range))).toBe(Bun.hash(part));
    return gets() > before;
  }

  test("a warmed object is read from this machine, byte for byte", async () => {
    expect(await asksStore(store, "a")).toBe(true);
    expect(await store.warm("a")).toBe(true);
    expect(await asksStore(store, "a")).toBe(false);
    await expect(store.read("a", { offset: 999_999, length: 2 })).rejects.toBeInstanceOf(StoreUnavailable);
  });

  test("an object too large for the disk's free room is read from the store, and the room is reserved once", async () => {
    const disk = createDiskRoom({
      spareBytes: 500_000,
      readSpace: async () => ({ freeBytes: 1_600_000, sizeBytes: 0 }),
    });
    const small = await open({ disk });
    using _upload = await disk.reserve(200_000);
    expect(await small.warm("a")).toBe(false);
    expect(await asksStore(small, "a")).toBe(true);
    _upload.settle();
    expect(await small.warm("b")).toBe(true);
    expect(await asksStore(small, "b")).toBe(false);
  });

  test("many calls for one object share one download", async () => {
    expect(await Promise.all(Array.from({ length: 10 }, () => store.warm("a")))).toEqual(
      Array(10).fill(true),
    );
    expect(await store.warm("a")).toBe(true);
    expect(gets()).toBe(1);
  });

  test("downloads no more objects at once than allowed", async () => {
    let running = 0;
    let most = 0;
    const slow = createS3Store(server.options);
    const watched = {
      ...slow,
      async stat(key: string) {
        most = Math.max(most, ++running);
        await Bun.sleep(5);
        running--;
        return slow.stat(key);
      },
    };
    const cached = await open({ store: watched, concurrency: 2 });
    await Promise.all(["a", "b", "c", "d"].map((key) => cached.warm(key)));
    expect(most).toBe(2);
  });

  test("evicts the least recently used copy, and never holds more than its limit", async () => {
    await store.warm("a");
    await store.warm("b");
    await store.read("a", { offset: 0, length: 1 });
    await store.warm("c");
    expect(await asksStore(store, "a")).toBe(false);
    expect(await asksStore(store, "c")).toBe(false);
    expect(await asksStore(store, "b")).toBe(true);
    expect((await readdir(dir)).length).toBe(2);
    expect(await (await open({ maxBytes: 10, dir: `${dir}/small` })).warm("a")).toBe(false);
  });

  test("a body that is being read, or was not yet begun, outlives the eviction of its copy", async () => {
    await store.warm("a");
    const begun = (await store.open("a")) as ReadableStream<Uint8Array>;
    const notBegun = await store.open("a");
    const reader = begun.getReader();
    const first = await reader.read();
    for (const key of ["b", "c", "d"]) await store.warm(key);
    const pieces = [first.value ?? new Uint8Array()];
    for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
    expect(Bun.hash(Buffer.concat(pieces))).toBe(Bun.hash(bytes));
    expect(Bun.hash(await bytesOf(notBegun))).toBe(Bun.hash(bytes));
  });

  test("after a restart a copy serves again once warmed, without a download", async () => {
    await store.warm("a");
    const again = await open();
    expect(await asksStore(again, "a")).toBe(true);
    const before = gets();
    expect(await again.warm("a")).toBe(true);
    expect(await asksStore(again, "a")).toBe(false);
    expect(gets()).toBe(before);
  });

  test("after a restart a damaged copy is downloaded again, never served", async () => {
    await store.warm("a");
    await store.warm("b");
    for (const name of await readdir(dir)) await writeFile(join(dir, name), patterned(1_000_000).reverse());
    await writeFile(join(dir, "partial-x"), "half");
    const again = await open();
    expect(await readdir(dir)).not.toContain("partial-x");
    expect(await again.warm("a")).toBe(true);
    expect(await asksStore(again, "a")).toBe(false);
    expect(await asksStore(again, "b")).toBe(true);
  });

  test("a copy that is cut or removed meanwhile isn't served, and can be warmed again", async () => {
    for (const spoil of [(path: string) => truncate(path, 500_000), (path: string) => rm(path)]) {
      await store.warm("a");
      for (const name of await readdir(dir)) await spoil(join(dir, name));
      expect(await asksStore(store, "a")).toBe(true);
      expect(await store.warm("a")).toBe(true);
      expect(await asksStore(store, "a")).toBe(false);
    }
  });

  test("a failed download leaves nothing and the next one may succeed", async () => {
    server.fault = (request) => (isGet(request) ? { cutAfterBytes: 300_000 } : undefined);
    const hasty = await open({ store: createS3Store({ ...server.options, retries: 1 }) });
    await expect(hasty.warm("a")).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await readdir(dir)).toEqual([]);
    server.fault = () => undefined;
    expect(await hasty.warm("a")).toBe(true);
  });

  test("a deleted object's copy is gone, also one still downloading", async () => {
    await store.warm("a");
    const warming = store.warm("b").then(String, (error: unknown) => (error as Error).name);
    await store.delete("a");
    await store.delete("b");
    expect(["true", "AbortError", "ObjectNotFound"]).toContain(await warming);
    expect(await readdir(dir)).toEqual([]);
    for (const key of ["a", "b"]) {
      await expect(store.open(key)).rejects.toBeInstanceOf(ObjectNotFound);
      await expect(store.warm(key)).rejects.toBeInstanceOf(ObjectNotFound);
    }
  });

  test("a copy made while its object is being deleted goes too", async () => {
    const s3 = createS3Store(server.options);
    const racing: CachedStore = await open({
      store: {
        ...s3,
        async delete(key) {
          expect(await racing.warm(key)).toBe(true);
          await s3.delete(key);
        },
      },
    });
    await racing.delete("a");
    expect(await readdir(dir)).toEqual([]);
    await expect(racing.open("a")).rejects.toBeInstanceOf(ObjectNotFound);
  });

  test("a replaced object is read in its new bytes", async () => {
    await store.warm("a");
    await store.putBytes("a", new Uint8Array([1, 2, 3]));
    expect(await bytesOf(await store.open("a"))).toEqual(new Uint8Array([1, 2, 3]));
  });

  test("copies that were not used for a day are swept", async () => {
    const clock = { time: Date.now(), now: () => new Date(clock.time) };
    const aging = await open({ clock });
    for (const key of ["a", "b"]) await aging.warm(key);
    clock.time += 20 * 3_600_000;
    await aging.read("b", { offset: 0, length: 1 });
    clock.time += 5 * 3_600_000;
    await aging.sweepUnfinished(new Date(0), everything);
    expect(await asksStore(aging, "b")).toBe(false);
    expect((await readdir(dir)).length).toBe(1);
  });
});
