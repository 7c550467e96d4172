import { describe, expect, test } from "bun:test";
import { readCodec } from "../../../src/server/features/thumbnails/worker/read-codec.ts";
import { decodeFrame } from "../../../src/shared/pixels/decode-frame.ts";
import { readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";
import { createCodecs } from "../../../src/shared/pixels/wasm-codec.ts";

/* Four rows of five pixels: streams of `ojph_compress` 0.9.0 and `opj_compress` 2.5.0, without loss. */

/** The n-th pixel is (n, 100 + n, 200 + n), without a colour transform. */
const COLOURS_OF_OPENJPH =
  "/0//UQAvQAAAAAAFAAAABAAAAAAAAAAAAAAABQAAAAQAAAAAAAAAAAADBwEBBwEBBwEB/1AACAACAAAAA/9SAAwAAgABAAEEBEAB/1wAByBQUFBY/2QAFgABT3BlbkpQSCBWZXIgMC45LjAu/5AACgAAAAAAYgAB/5PAFYD/dPvle/gAAAD5tgDAFSB3mP3lAJF/NQDAFYAOUkmUhfUAAAD5tgDAEcATAIADAAj8A3dUAMARwBMAgAMACPwDd1QAwBHAEwCAAwAI/AN3VAD/2Q==";
/** The n-th sample is 13 · n. */
const GREY: Record<string, string> = {
  "1.2.840.10008.1.2.4.201":
    "/0//UQApQAAAAAAFAAAABAAAAAAAAAAAAAAABQAAAAQAAAAAAAAAAAABBwEB/1AACAACAAAAA/9SAAwAAgABAAEEBEAB/1wAByBQUFBY/2QAFgABT3BlbkpQSCBWZXIgMC45LjAu/5AACgAAAAAALgAB/5PAFYB/0dJ6UfwAAAD4tgDAEcAVIIADAIAAwAAAAHdWAP/Z",
  "1.2.840.10008.1.2.4.90":
    "/0//UQApAAAAAAAFAAAABAAAAAAAAAAAAAAABQAAAAQAAAAAAAAAAAABBwEB/1IADAAAAAEAAQQEAAH/XAAHQEBISFD/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjD/kAAKAAAAAAAgAAH/k9+AOAfIGiYfjc+j7QQACzuyLP/Z",
};
const PIXELS = Array.from({ length: 20 }, (_, n) => n);

const codecs = createCodecs(readCodec);
async function samplesOf(stream: Uint8Array, transferSyntaxUID: string): Promise<number[]> {
  const { samples } = await decodeFrame(stream, readPixelModule({}, 0), transferSyntaxUID, codecs);
  return Array.from(samples);
}

test("HTJ2K colours without a transform are at their places", async () => {
  const stream = Buffer.from(COLOURS_OF_OPENJPH, "base64");
  const expected = PIXELS.flatMap((n) => [n, 100 + n, 200 + n]);
  expect(await samplesOf(stream, "1.2.840.10008.1.2.4.201")).toEqual(expected);
});

describe.each(Object.entries(GREY))("samples of 8 bits in %s", (transferSyntaxUID, base64) => {
  test("without a sign", async () => {
    const expected = PIXELS.map((n) => 13 * n);
    expect(await samplesOf(Buffer.from(base64, "base64"), transferSyntaxUID)).toEqual(expected);
  });

  test("that are signed are negative where they should be", async () => {
    const stream = Buffer.from(base64, "base64");
    // Ssiz of the SIZ marker segment. `opj_decompress` reads the same samples from such streams.
    stream.writeUInt8(stream.readUInt8(42) | 0x80, 42);
    const given = Uint8Array.from(stream);
    expect(await samplesOf(stream, transferSyntaxUID)).toEqual(PIXELS.map((n) => 13 * n - 128));
    expect(Uint8Array.from(stream)).toEqual(given);
  });
});
