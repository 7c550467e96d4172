import { expect, test } from "bun:test";
import { join } from "node:path";
import { copyToArchive } from "../../../src/server/holdings/transfer/transfer-upload.ts";
import { createDiskStore } from "../../../src/server/storage/disk/disk-store.ts";
import type { ObjectStore } from "../../../src/server/storage/object-store.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const MIB = 1024 * 1024;

test("a large study is checked in the archive in two buffers, and other requests are served meanwhile", async () => {
  await using folder = createTempFolder();
  const bytes = new Uint8Array(64 * MIB).fill(7);
  await Bun.write(join(folder.path, "staged.zip"), bytes);
  const disk = createDiskStore({ root: join(folder.path, "objects") });
  let turns = 0;
  const buffers = new Set<ArrayBufferLike>();
  const store: ObjectStore = {
    ...disk,
    open() {
      throw new Error("a stream makes a buffer for each piece");
    },
    async *scan(key, range, bufferBytes) {
      turns = 0; // the steps before wrote and linked files, and waited for that
      expect(bufferBytes).toBeLessThanOrEqual(MIB);
      for await (const piece of disk.scan?.(key, range, bufferBytes) ?? []) {
        buffers.add(piece.buffer);
        yield piece;
      }
    },
  };
  const node = { stagedPath: (key: string) => join(folder.path, key) };
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  const object = { key: "staged.zip", sizeBytes: bytes.length, sha256 };
  let isDone = false;
  const takeTurns = () => {
    turns++;
    if (!isDone) setImmediate(takeTurns);
  };
  takeTurns();
  await copyToArchive(
    { store, node } as Parameters<typeof copyToArchive>[0],
    object,
    AbortSignal.timeout(60_000),
  );
  isDone = true;
  expect(turns).toBeGreaterThan(64);
  expect(buffers.size).toBe(2);
});
