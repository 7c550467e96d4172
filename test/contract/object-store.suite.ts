import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ObjectNotFound, type ObjectStore, StoreUnavailable } from "../../src/server/storage/object-store.ts";

const everything = async (keys: readonly string[]) => new Set(keys);

export interface StoreUnderTest extends AsyncDisposable {
  store: ObjectStore;
  /** TypeScript that yields `store` in another process: it is killed while it puts, and its memory is measured. */
  childScript: string;
}

const MIB = 1 << 20;
const OUTSIDE = [
  "../x",
  "a/../../x",
  "/etc/passwd",
  "a//b",
  "a/./b",
  "",
  "a/",
  "~unfinished/x",
  "a\\b",
  "a\0b",
  "é",
];

/** The promises of every {@link ObjectStore}; `makeStore` returns an empty one. */
export function describeObjectStore(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`object store: ${name}`, () => {
    let subject: StoreUnderTest;
    let store: ObjectStore;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "object-store-"));
      subject = await makeStore();
      store = subject.store;
    });
    afterAll(async () => {
      await subject[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    });

    async function staged(bytes: Uint8Array, fileName = "staged"): Promise<string> {
      const path = join(folder, fileName);
      await Bun.write(path, bytes);
      return path;
    }

    test("returns the bytes of a file after the file is gone", async () => {
      const bytes = patterned(3 * MIB + 17);
      const path = await staged(bytes);
      await store.putFile("account/study/volume.zip", path);
      await rm(path);
      expect(await store.stat("account/study/volume.zip")).toEqual({ sizeBytes: bytes.length });
      expect(await bytesOf(await store.open("account/study/volume.zip"))).toEqual(bytes);
    });

    test("returns a file larger than any part, whole and by range", async () => {
      const bytes = patterned(12 * MIB + 5);
      await store.putFile("large", await staged(bytes));
      expect(Bun.hash(await bytesOf(await store.open("large")))).toBe(Bun.hash(bytes));
      const range = { offset: 5 * MIB - 3, length: 6 * MIB };
      const expected = bytes.subarray(range.offset, range.offset + range.length);
      expect(Bun.hash(await store.read("large", range))).toBe(Bun.hash(expected));
      expect(Bun.hash(await bytesOf(await store.open("large", range)))).toBe(Bun.hash(expected));
    });

    test("keeps bytes from memory, none included", async () => {
      await store.putBytes("few", new Uint8Array([1, 2, 3, 4, 5]));
      await store.putBytes("none", new Uint8Array());
      expect(await store.read("few", { offset: 1, length: 3 })).toEqual(new Uint8Array([2, 3, 4]));
      expect(await store.read("few", { offset: 5, length: 0 })).toEqual(new Uint8Array());
      expect(await bytesOf(await store.open("few", { offset: 2, length: 0 }))).toEqual(new Uint8Array());
      expect(await store.stat("none")).toEqual({ sizeBytes: 0 });
      expect(await bytesOf(await store.open("none"))).toEqual(new Uint8Array());
    });

    test("keeps a file once that is put twice", async () => {
      const path = await staged(patterned(1000));
      await store.putFile("twice/object", path);
      await store.putFile("twice/object", path);
      expect(await keysOf(store, "twice/")).toEqual(["twice/object"]);
      expect(await store.stat("twice/object")).toEqual({ sizeBytes: 1000 });
      expect(await store.sweepUnfinished(farAhead(), everything)).toBe(0);
    });

    test("a later put replaces the object", async () => {
      await store.putBytes("replaced", patterned(100));
      await store.putFile("replaced", await staged(new Uint8Array([9])));
      expect(await bytesOf(await store.open("replaced"))).toEqual(new Uint8Array([9]));
    });

    test("reports that an object isn't there", async () => {
      expect(await store.stat("absent/object")).toBeUndefined();
      await expect(store.read("absent/object", { offset: 0, length: 1 })).rejects.toBeInstanceOf(
        ObjectNotFound,
      );
      await expect(store.read("absent/object", { offset: 0, length: 0 })).rejects.toBeInstanceOf(
        ObjectNotFound,
      );
      await expect(store.open("absent/object")).rejects.toBeInstanceOf(ObjectNotFound);
      await expect(store.open("absent/object", { offset: 0, length: 1 })).rejects.toBeInstanceOf(
        ObjectNotFound,
      );
    });

    test("refuses a range past the end instead of giving less", async () => {
      await store.putBytes("ten", patterned(10));
      for (const range of [
        { offset: 8, length: 3 },
        { offset: 10, length: 1 },
        { offset: 50, length: 0 },
      ]) {
        await expect(store.read("ten", range)).rejects.toBeInstanceOf(StoreUnavailable);
        await expect(store.open("ten", range)).rejects.toBeInstanceOf(StoreUnavailable);
      }
      await expect(store.read("ten", { offset: -1, length: 2 })).rejects.toBeInstanceOf(RangeError);
      await expect(store.open("ten", { offset: 0, length: 1.5 })).rejects.toBeInstanceOf(RangeError);
    });

    test("returns a range in successive buffers, if it can, and refuses one past the end", async () => {
      const bytes = patterned(3 * MIB + 17);
      await store.putBytes("scanned", bytes);
      if (!store.scan) return;
      for (const [offset, length, bufferBytes] of [
        [0, bytes.length, MIB],
        [5, 2 * MIB, MIB],
        [MIB, 3, 64],
      ] as const) {
        const buffers: Uint8Array[] = [];
        for await (const buffer of store.scan("scanned", { offset, length }, bufferBytes))
          buffers.push(buffer.slice());
        expect(buffers.slice(0, -1).every((buffer) => buffer.length === bufferBytes)).toBe(true);
        expect(Buffer.concat(buffers).equals(bytes.subarray(offset, offset + length))).toBe(true);
      }
      for await (const _ of store.scan("scanned", { offset: 0, length: bytes.length }, MIB)) break;
      const scan = async (key: string, offset: number) => {
        for await (const _ of store.scan?.(key, { offset, length: 18 }, MIB) ?? []);
      };
      await expect(scan("scanned", 3 * MIB)).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(scan("nothing", 0)).rejects.toBeInstanceOf(ObjectNotFound);
    });

    test("fills a given buffer, if it can, and refuses more than there is", async () => {
      const bytes = patterned(MIB);
      await store.putBytes("into", bytes);
      if (!store.readInto) return;
      const buffer = new Uint8Array(570_003);
      await store.readInto("into", 7, buffer);
      expect(Buffer.compare(buffer, bytes.subarray(7, 7 + 570_003))).toBe(0);
      await expect(store.readInto("into", MIB - 2, buffer)).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(store.readInto("nothing", 0, buffer)).rejects.toBeInstanceOf(ObjectNotFound);
    });

    test("a deleted object is gone, deleting it again is fine, its neighbours stay", async () => {
      await store.putBytes("deleted/a", patterned(1));
      await store.putBytes("deleted/a-neighbour", patterned(1));
      await store.putBytes("deleted/ab", patterned(1));
      await store.delete("deleted/a");
      await store.delete("deleted/a");
      await store.delete("never/was/there");
      expect(await store.stat("deleted/a")).toBeUndefined();
      expect(await keysOf(store, "deleted/")).toEqual(["deleted/a-neighbour", "deleted/ab"]);
    });

    test("puts into a folder while its last object is deleted", async () => {
      for (let round = 0; round < 20; round++) {
        await store.putBytes("busy/folder/old", patterned(1));
        await Promise.all([store.delete("busy/folder/old"), store.putBytes("busy/folder/new", patterned(2))]);
        expect(await keysOf(store, "busy/")).toEqual(["busy/folder/new"]);
        await store.delete("busy/folder/new");
      }
    });

    test("lists by prefix, over many pages", async () => {
      const keys = Array.from({ length: 57 }, (_, index) => `listed/${index % 3}/${10 + index}`);
      await Promise.all(keys.map((key) => store.putBytes(key, new Uint8Array(3))));
      const listed = [];
      for await (const object of store.list("listed/")) listed.push(object);
      expect(listed.map(({ key }) => key)).toEqual(keys.toSorted());
      expect(listed.every(({ sizeBytes }) => sizeBytes === 3)).toBe(true);
      const some = keys.toSorted().filter((key) => key.startsWith("listed/1/2"));
      expect(await keysOf(store, "listed/1/2")).toEqual(some);
      expect(await keysOf(store, "nowhere/")).toEqual([]);
    });

    test("lists in the order of whole keys, folders among them", async () => {
      const keys = ["1-", "1.x", "1/a", "1/b", "10/a", "1a/b", "A", "Z/z", "_", "a", "b.c/d"];
      for (const key of keys.toReversed()) await store.putBytes(`ordered/${key}`, new Uint8Array());
      expect(await keysOf(store, "ordered/")).toEqual(keys.map((key) => `ordered/${key}`));
      expect(await keysOf(store, "ordered/1")).toEqual(keys.slice(0, 6).map((key) => `ordered/${key}`));
    });

    test("refuses keys that aren't plain paths, and prefixes that lead out", async () => {
      const path = await staged(patterned(1));
      for (const key of OUTSIDE) {
        await expect(store.putFile(key, path)).rejects.toBeInstanceOf(TypeError);
        await expect(store.putBytes(key, patterned(1))).rejects.toBeInstanceOf(TypeError);
        await expect(store.stat(key)).rejects.toBeInstanceOf(TypeError);
        await expect(store.read(key, { offset: 0, length: 1 })).rejects.toBeInstanceOf(TypeError);
        await expect(store.open(key)).rejects.toBeInstanceOf(TypeError);
        await expect(store.delete(key)).rejects.toBeInstanceOf(TypeError);
      }
      await expect(keysOf(store, "../")).rejects.toBeInstanceOf(TypeError);
      await expect(keysOf(store, "a/../b/")).rejects.toBeInstanceOf(TypeError);
    });

    test("a cancelled put leaves no object and nothing to sweep", async () => {
      const path = await staged(patterned(12 * MIB));
      await expect(store.putFile("called/off", path, { signal: AbortSignal.abort() })).rejects.toThrow();
      const stop = new AbortController();
      const put = store.putFile("called/off", path, { signal: stop.signal });
      stop.abort();
      await expect(put).rejects.toThrow();
      expect(await store.stat("called/off")).toBeUndefined();
      expect(await store.sweepUnfinished(farAhead(), everything)).toBe(0);
    });

    test("a missing source is the caller's error and leaves nothing", async () => {
      const put = store.putFile("no/source", join(folder, "missing"));
      await expect(put).rejects.toMatchObject({ code: "ENOENT" });
      await expect(put).rejects.not.toBeInstanceOf(StoreUnavailable);
      expect(await store.stat("no/source")).toBeUndefined();
    });

    test("a process killed while it stores leaves whole objects or none", async () => {
      const bytes = patterned(24 * MIB);
      const path = await staged(bytes, "killed");
      const script = `${subject.childScript}
        console.log("ready");
        for (let n = 0; ; n++) await store.putFile("killed/" + (n % 3), ${JSON.stringify(path)});`;
      for (const afterMs of [15, 60, 150]) {
        const child = Bun.spawn([process.execPath, "-e", script], {
          stdout: "pipe",
          stderr: "inherit",
          cwd: import.meta.dir,
        });
        await child.stdout.getReader().read();
        await Bun.sleep(afterMs);
        child.kill("SIGKILL");
        await child.exited;
      }
      for await (const { key, sizeBytes } of store.list("killed/")) {
        expect(sizeBytes).toBe(bytes.length);
        expect(Bun.hash(await bytesOf(await store.open(key)))).toBe(Bun.hash(bytes));
      }
      await store.putFile("killed/0", path);
      const before = await keysOf(store, "");
      expect(await store.sweepUnfinished(new Date(0), everything)).toBe(0);
      await store.sweepUnfinished(farAhead(), everything);
      expect(await store.sweepUnfinished(farAhead(), everything)).toBe(0);
      expect(await keysOf(store, "")).toEqual(before);
    }, 240_000);

    test("stores and streams 128 MiB in constant memory", async () => {
      const path = await staged(patterned(128 * MIB), "constant");
      const script = `${subject.childScript}
        const rss = () => process.memoryUsage().rss / 1048576;
        await store.putBytes("constant", new Uint8Array(1 << 20));
        const before = rss(); let peak = before;
        const watch = setInterval(() => { peak = Math.max(peak, rss()) }, 5);
        await store.putFile("constant", ${JSON.stringify(path)});
        const body = await store.open("constant");
        let size = 0;
        for await (const piece of body instanceof Blob ? body.stream() : body) { size += piece.length; await Bun.sleep(0) }
        console.log(JSON.stringify({ size, grown: Math.max(peak, rss()) - before }));
        process.exit(0);`;
      const child = Bun.spawn([process.execPath, "-e", script], {
        stdout: "pipe",
        stderr: "inherit",
        cwd: import.meta.dir,
      });
      const { size, grown } = await new Response(child.stdout).json();
      expect(size).toBe(128 * MIB);
      expect(grown).toBeLessThan(96);
    }, 240_000);

    test("can be used", async () => {
      await store.check();
    });
  });
}

/** Bytes in which each 4 differ from the next, so that a shifted or repeated run shows. */
export function patterned(length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let index = 0; index < words.length; index++) words[index] = Math.imul(index, 2654435761);
  return new Uint8Array(words.buffer, 0, length);
}

export async function bytesOf(body: Blob | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer());
}

export async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

function farAhead(): Date {
  return new Date(Date.now() + 3_600_000);
}
