import { expect, test } from "bun:test";
import type { ManifestInstance, SeriesManifest } from "../../../src/server/archive/manifest.ts";
import type { SeriesReader } from "../../../src/server/features/dicomweb/catalogue/series-reader.ts";
import {
  middleInstance,
  readPictureInput,
} from "../../../src/server/features/thumbnails/read-picture-input.ts";
import type { Scratch } from "../../../src/server/processes/scratch.ts";
import { LentBuffers } from "../../../src/server/runtime/lent-bytes.ts";
import type { ByteRange } from "../../../src/server/storage/object-store.ts";

const FRAME_BYTES = 512;
const HEADER_BYTES = 128;
const LARGE_FRAME_BYTES = 8 * 1024 * 1024;

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

test("a large frame that can't be read leaves no stream of the store open", async () => {
  const open = new Set<ReadableStream>();
  const instance = {
    method: 0,
    sizeBytes: HEADER_BYTES + LARGE_FRAME_BYTES,
    transferSyntaxUID: "1.2.840.10008.1.2.1",
    frames: { kind: "native", offset: HEADER_BYTES, frameCount: 1, frameBytes: LARGE_FRAME_BYTES },
  } as unknown as ManifestInstance;
  const series = {
    open: async (_instance: ManifestInstance, { offset, length }: ByteRange) => {
      if (offset > 0) throw new Error("the store is gone");
      const end = () => open.delete(stream);
      const stream: ReadableStream<Uint8Array> = new ReadableStream(
        {
          pull(controller) {
            controller.enqueue(new Uint8Array(length));
            controller.close();
            end();
          },
          cancel: () => void end(),
        },
        { highWaterMark: 0 },
      );
      open.add(stream);
      return stream;
    },
  } as unknown as SeriesReader;
  const scratch = {
    spool: async (pieces: AsyncIterable<Uint8Array>) => {
      for await (const _ of pieces);
    },
  } as unknown as Scratch;
  await expect(readPictureInput({ series, scratch }, instance)).rejects.toThrow("the store is gone");
  expect(open.size).toBe(0);
});

test("a series that holds a video beside images is shown by an image", () => {
  const VIDEO = "1.2.840.10008.1.2.4.102";
  const STILL = "1.2.840.10008.1.2.1";
  const seriesOf = (...syntaxes: string[]) =>
    ({
      instances: syntaxes.map((transferSyntaxUID, index) => ({
        sopInstanceUID: String(index),
        transferSyntaxUID,
        frames: { kind: "native", offset: 0, frameCount: 1, frameBytes: FRAME_BYTES },
      })),
    }) as unknown as SeriesManifest;
  expect(middleInstance(seriesOf(STILL, VIDEO))?.sopInstanceUID).toBe("0");
  expect(middleInstance(seriesOf(STILL, STILL, VIDEO, VIDEO, VIDEO))?.sopInstanceUID).toBe("1");
  expect(middleInstance(seriesOf(VIDEO))?.sopInstanceUID).toBe("0");
});
