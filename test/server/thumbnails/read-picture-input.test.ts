import { expect, test } from "bun:test";
import type { ManifestInstance } from "../../../src/server/archive/manifest.ts";
import type { SeriesReader } from "../../../src/server/features/dicomweb/catalogue/series-reader.ts";
import { readPictureInput } from "../../../src/server/features/thumbnails/read-picture-input.ts";
import type { Scratch } from "../../../src/server/processes/scratch.ts";
import { LentBuffers } from "../../../src/server/runtime/lent-bytes.ts";
import type { ByteRange } from "../../../src/server/storage/object-store.ts";

const FRAME_BYTES = 512;
const HEADER_BYTES = 128;

test("two thousand pictures, drawn one after the other, are read into one buffer", async () => {
  const file = Uint8Array.from({ length: HEADER_BYTES + FRAME_BYTES }, (_, index) => index % 251);
  const instance = {
    method: 0,
    sizeBytes: file.length,
    transferSyntaxUID: "1.2.840.10008.1.2.1",
    frames: { kind: "native", offset: HEADER_BYTES, frameCount: 1, frameBytes: FRAME_BYTES },
  } as unknown as ManifestInstance;
  const buffers = new LentBuffers(FRAME_BYTES);
  const series = {
    read: async (_instance: ManifestInstance, { offset, length }: ByteRange) =>
      file.slice(offset, offset + length),
    borrow: (_instance: ManifestInstance, { offset, length }: ByteRange) =>
      buffers.lend(length, { offset: 0, length }, async (bytes) =>
        bytes.set(file.subarray(offset, offset + length)),
      ),
  } as Pick<SeriesReader, "read" | "borrow"> as SeriesReader;
  const used = new Set<ArrayBufferLike>();
  for (let picture = 0; picture < 2_000; picture++) {
    const read = await readPictureInput({ series, scratch: {} as Scratch }, instance);
    if (read === "too_large") throw new Error("a small frame");
    await using held = read;
    const { source } = held.request;
    if (source.kind !== "parts") throw new Error("a small frame lies in memory");
    used.add(source.frame.buffer);
    if (picture > 0) continue;
    expect(source.header).toEqual(file.subarray(0, HEADER_BYTES));
    expect(source.frame).toEqual(file.subarray(HEADER_BYTES));
  }
  expect(used.size).toBe(1);
});
