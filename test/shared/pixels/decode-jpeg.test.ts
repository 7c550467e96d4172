import { describe, expect, test } from "bun:test";
import { readCodec } from "../../../src/server/features/thumbnails/worker/read-codec.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { decodeFrame } from "../../../src/shared/pixels/decode-frame.ts";
import { readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";
import { createCodecs } from "../../../src/shared/pixels/wasm-codec.ts";
import { encoders } from "../../support/dicom/compressed-pixels.ts";

const BASELINE = "1.2.840.10008.1.2.4.50";
const SIDE = 16;
const RED = [250, 10, 20];
/** Four red pixels by `cjpeg -sample 2x2`: all share their colour. */
const SHARED =
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAACAAIDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABwn/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCDgCJT1//Z";

/** Where the segment begins that has the marker. */
const segmentAt = (stream: Buffer, marker: number) => stream.indexOf(Uint8Array.of(0xff, marker));

/** A red image as luminance and colour, a JFIF file. */
async function redStream(): Promise<Buffer> {
  const samples = Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, at) => RED[at % 3] ?? 0);
  const shape = { width: SIDE, height: SIDE, bitsPerSample: 8, componentCount: 3 } as const;
  return Buffer.from((await encoders[BASELINE]?.({ ...shape, samples })) ?? new Uint8Array());
}

function withoutJfif(stream: Buffer): Buffer {
  const at = segmentAt(stream, 0xe0);
  return Buffer.concat([stream.subarray(0, at), stream.subarray(at + 2 + stream.readUInt16BE(at + 2))]);
}

async function firstPixel(stream: Uint8Array, photometricInterpretation: string): Promise<number[]> {
  const metadata = {
    [TagHex.SamplesPerPixel]: { vr: "US", Value: [3] },
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: [photometricInterpretation] },
  };
  const pixels = readPixelModule(metadata, 0);
  const { samples } = await decodeFrame(stream, pixels, BASELINE, createCodecs(readCodec));
  return Array.from(samples.slice(0, 3));
}

const isRed = (pixel: number[]) => pixel.every((level, at) => Math.abs(level - (RED[at] ?? 0)) < 8);

describe("a JPEG image that says RGB", () => {
  test("is luminance and colour if it is a JFIF file", async () => {
    const stream = await redStream();
    expect(segmentAt(stream, 0xe0)).toBe(2);
    expect(isRed(await firstPixel(stream, "YBR_FULL_422"))).toBe(true);
    expect(isRed(await firstPixel(stream, "RGB"))).toBe(true);
  });

  test("is luminance and colour if its pixels share their colour", async () => {
    const stream = withoutJfif(Buffer.from(SHARED, "base64"));
    expect(segmentAt(stream, 0xe0)).toBe(-1);
    expect(isRed(await firstPixel(stream, "RGB"))).toBe(true);
  });

  test("is what it says if its stream says nothing else, also with a marker of somebody else's", async () => {
    const stream = withoutJfif(await redStream());
    const luminance = 0.299 * 250 + 0.587 * 10 + 0.114 * 20;
    const foreign = Uint8Array.of(0xff, 0xee, 0, 8, ...Buffer.from("Nobody"));
    const marked = Buffer.concat([stream.subarray(0, 2), foreign, stream.subarray(2)]);
    for (const given of [stream, marked])
      expect((await firstPixel(given, "RGB"))[0]).toBeCloseTo(luminance, -1);
  });
});
