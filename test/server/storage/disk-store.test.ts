import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, rmdirSync } from "node:fs";
import { link, mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDiskStore } from "../../../src/server/storage/disk/disk-store.ts";
import { linkOrCopy, openFileSync } from "../../../src/server/storage/disk/durable-file.ts";
import { ObjectNotFound, StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { bytesOf, describeObjectStore, keysOf, patterned } from "../../contract/object-store.suite.ts";
import { until } from "../../support/until.ts";

const everything = async (keys: readonly string[]) => new Set(keys);

const MODULE = join(import.meta.dir, "../../../src/server/storage/disk/disk-store");

describeObjectStore("disk", async () => {
  const root = await mkdtemp(join(tmpdir(), "disk-store-"));
  return {
    store: createDiskStore({ root }),
    childScript: `import { createDiskStore } from ${JSON.stringify(MODULE)};
      const store = createDiskStore({ root: ${JSON.stringify(root)} });`,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
});

describe("disk store", () => {
  let folder: string;
  let root: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "disk-store-"));
    root = join(folder, "objects");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("gives an object a new revision after a write, and none until the write's time is distinguishable", async () => {
    const root = join(folder, "revisions");
    const path = join(root, "object");
    let nowMs = Date.now();
    const store = createDiskStore({ root, clock: { now: () => new Date(nowMs) } });
    const revisionAfter = async (ms: number) => {
      nowMs = (await stat(path)).ctimeMs + ms;
      return await store.revision?.("object");
    };
    await store.putBytes("object", patterned(100));
    expect(await store.revision?.("object")).toBeUndefined();
    expect(await revisionAfter(50)).toBeUndefined();
    const first = await revisionAfter(2_001);
    expect(first).toBeString();
    expect(await store.revision?.("object")).toBe(first ?? "");
    await writeFile(path, patterned(100));
    expect(await revisionAfter(2_001)).not.toBe(first ?? "");
    expect(await store.revision?.("nothing")).toBeUndefined();
  });

  test("takes longer for a new revision where times are whole seconds", async () => {
    const root = join(folder, "coarse-revisions");
    const path = join(root, "object");
    let nowMs = 0;
    const store = createDiskStore({ root, clock: { now: () => new Date(nowMs) } });
    const revisionAfter = async (ms: number) => {
      nowMs = (await stat(path)).ctimeMs + ms;
      return await store.revision?.("object");
    };
    await store.putBytes("object", patterned(100));
    await utimes(path, 1_700_000_000.25, 1_700_000_000.25);
    expect(await revisionAfter(110)).toBeString();
    await utimes(path, 1_700_000_000, 1_700_000_000);
    expect(await revisionAfter(110)).toBeUndefined();
    expect(await revisionAfter(1_500)).toBeUndefined();
    expect(await revisionAfter(2_010)).toBeString();
  });

  test("shares the staged file's bytes instead of copying them", async () => {
    const path = join(folder, "staged");
    await writeFile(path, "bytes");
    await createDiskStore({ root }).putFile("linked/object", path);
    expect((await stat(join(root, "linked/object"))).ino).toBe((await stat(path)).ino);
  });

  test("copies a file that can't be linked", async () => {
    const bytes = patterned((2 << 20) + 3);
    // A symbolic link, and where there is one another file system, have to be copied.
    const sources = [join(folder, "other-file-system"), join(folder, "symlink")];
    const shm = await stat("/dev/shm").catch(() => undefined);
    const elsewhere = shm?.isDirectory() ? await mkdtemp("/dev/shm/disk-store-") : folder;
    try {
      await writeFile(join(elsewhere, "real"), bytes);
      await symlink(join(elsewhere, "real"), join(folder, "symlink"));
      for (const source of [join(elsewhere, "real"), sources[1] ?? ""]) {
        const target = join(folder, "copied");
        await linkOrCopy(source, target);
        expect(new Uint8Array(await Bun.file(target).arrayBuffer())).toEqual(bytes);
        await rm(target);
      }
    } finally {
      await rm(join(elsewhere, "real"), { force: true });
      if (elsewhere !== folder) await rm(elsewhere, { recursive: true });
    }
  });

  test("leaves no empty folder behind a deleted object or a failed put", async () => {
    const store = createDiskStore({ root });
    await store.putBytes("pruned/a/b/c", patterned(1));
    await store.putBytes("pruned/x", patterned(1));
    await store.delete("pruned/a/b/c");
    expect(await readdir(join(root, "pruned"))).toEqual(["x"]);
    await writeFile(join(folder, "source"), "");
    const stop = new AbortController();
    const put = store.putFile("failed/put", join(folder, "source"), { signal: stop.signal });
    stop.abort();
    await expect(put).rejects.toThrow();
    expect(await readdir(root)).not.toContain("failed");
  });

  test("deletes the last object of a folder that another process removes at once", async () => {
    const store = createDiskStore({ root });
    await store.putBytes("beside/object", patterned(1));
    const deleting = store.delete("beside/object");
    // Nothing else runs here until the folder is empty and removed.
    const deadline = performance.now() + 5_000;
    while (existsSync(join(root, "beside")) && performance.now() < deadline) {
      try {
        rmdirSync(join(root, "beside"));
      } catch {}
    }
    await deleting;
    expect(await readdir(root)).not.toContain("beside");
  });

  test("follows no symbolic link out of its folder", async () => {
    const store = createDiskStore({ root });
    const outside = join(folder, "outside");
    await mkdir(outside, { recursive: true });
    await writeFile(join(outside, "secret"), "secret");
    await store.putBytes("links/own", patterned(1));
    await symlink(outside, join(root, "links/folder"));
    await symlink(join(outside, "secret"), join(root, "links/file"));
    for (const key of ["links/folder/secret", "links/file"]) {
      expect(await store.stat(key)).toBeUndefined();
      await expect(store.open(key)).rejects.toBeInstanceOf(ObjectNotFound);
      await expect(store.read(key, { offset: 0, length: 1 })).rejects.toBeInstanceOf(ObjectNotFound);
    }
    expect(await keysOf(store, "links/")).toEqual(["links/own"]);
    expect(await keysOf(store, "links/folder/")).toEqual([]);
    await expect(store.putBytes("links/folder/new", patterned(1))).rejects.toBeInstanceOf(StoreUnavailable);
    await store.delete("links/folder/secret");
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("fills no buffer from a file that others deleted or replaced, though it was read just now", async () => {
    const root = join(folder, "gone");
    const store = createDiskStore({ root });
    const read = async () => {
      const bytes = new Uint8Array(3);
      await store.readInto?.("object", 0, bytes);
      return [...bytes];
    };
    await store.putBytes("object", new Uint8Array([1, 2, 3]));
    expect([await read(), await read()]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    await rm(join(root, "object"));
    await expect(read()).rejects.toThrow(ObjectNotFound);
    await writeFile(join(root, "object"), new Uint8Array([4, 5, 6]));
    expect(await read()).toEqual([4, 5, 6]);
    await store.putBytes("object", new Uint8Array([7, 8, 9]));
    expect(await read()).toEqual([7, 8, 9]);
    await store.delete("object");
    await expect(read()).rejects.toThrow(ObjectNotFound);
  });

  test("sweeps only writes that began before a given time", async () => {
    const now = new Date("2026-03-01T12:00:00Z");
    const store = createDiskStore({ root, clock: { now: () => now } });
    await store.putBytes("swept/object", patterned(10));
    const unfinished = join(root, "~unfinished");
    for (const name of [`${now.getTime() - 1}-a`, `${now.getTime()}-b`, "somebody-else's"]) {
      await link(join(root, "swept/object"), join(unfinished, name));
    }
    expect(await store.sweepUnfinished(now, everything)).toBe(1);
    expect((await readdir(unfinished)).sort()).toEqual([`${now.getTime()}-b`, "somebody-else's"]);
    expect(await bytesOf(await store.open("swept/object"))).toEqual(patterned(10));
  });

  test("sweeps nothing that it is writing, although the clock was set back meanwhile", async () => {
    const root = join(folder, "set-back");
    const store = createDiskStore({ root });
    const writing = store.putBytes("object", patterned(64 * 1024 * 1024));
    await until(async () => (await readdir(join(root, "~unfinished"))).length > 0);
    expect(await store.sweepUnfinished(new Date(Date.now() + 3600_000), everything)).toBe(0);
    await writing;
    expect(await store.stat("object")).toEqual({ sizeBytes: 64 * 1024 * 1024 });
  });

  test("reports that its folder is gone instead of making an empty one", async () => {
    const gone = join(folder, "gone");
    const store = createDiskStore({ root: gone });
    await rm(gone, { recursive: true });
    await expect(store.check()).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(store.putBytes("a/b", patterned(1))).rejects.toBeInstanceOf(StoreUnavailable);
  });
});

describe("a read of what the page cache holds", () => {
  test("fills the whole buffer or says that it did not, as it does at the end of the file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "read-cached-"));
    try {
      const path = join(folder, "file");
      await writeFile(path, patterned(100_000));
      using file = openFileSync(path);
      const bytes = new Uint8Array(50_000);
      // Some systems and file systems have no such call; the thread pool reads there.
      if (file?.readCached(bytes, 7))
        expect(Buffer.compare(bytes, patterned(100_000).subarray(7, 50_007))).toBe(0);
      expect(file?.readCached(bytes, 60_000)).toBe(false);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
