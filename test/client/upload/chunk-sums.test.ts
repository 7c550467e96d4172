import { afterEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { PieceUnreadable, withChunkSums } from "../../../src/client/features/upload/send/chunk-sums.ts";
import { isSameFile } from "../../../src/client/features/upload/send/same-file.ts";

const { Worker: realWorker } = globalThis;
afterEach(() => {
  globalThis.Worker = realWorker;
});

const sumOf = (text: string) => createHash("sha256").update(text).digest("base64");

/** A worker whose code can't be fetched: browsers say so once, and nothing else comes. */
class UnreachedWorker {
  onerror: ((event: object) => void) | undefined;
  constructor() {
    setTimeout(() => this.onerror?.({}));
  }
  postMessage() {}
  terminate() {}
}

test("chunks are summed by the page if the code of the worker can't be loaded, asked for before it is known or after", async () => {
  globalThis.Worker = UnreachedWorker as unknown as typeof Worker;
  const sums = await withChunkSums(async (sums) => [
    await sums?.sum(new Blob(["first"])),
    await sums?.sum(new Blob(["second"])),
  ]);
  expect(sums).toEqual([sumOf("first"), sumOf("second")]);
});

test("a file that is picked again is compared also if the code of the worker can't be loaded", async () => {
  globalThis.Worker = UnreachedWorker as unknown as typeof Worker;
  const record = { sizeBytes: 5, samples: [{ offset: 0, length: 5, sum: sumOf("right") }] };
  expect(await isSameFile(new File(["right"], "a.zip"), "a.zip", record)).toBe(true);
  expect(await isSameFile(new File(["wrong"], "a.zip"), "a.zip", record)).toBe(false);
});

test("a piece of a file that is gone is told as such by the page, too", async () => {
  globalThis.Worker = UnreachedWorker as unknown as typeof Worker;
  const gone = { arrayBuffer: () => Promise.reject(new DOMException("gone", "NotFoundError")) } as Blob;
  await expect(withChunkSums(async (sums) => sums?.sum(gone))).rejects.toBeInstanceOf(PieceUnreadable);
});
