import { describe, expect, test } from "bun:test";
import { decodeFrame } from "../../../src/shared/pixels/decode-frame.ts";
import { NoPicture } from "../../../src/shared/pixels/no-picture.ts";
import { readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";

const EXPLICIT = "1.2.840.10008.1.2.1";
const RLE = "1.2.840.10008.1.2.5";
const JPEG = "1.2.840.10008.1.2.4.50";
const JPEG_LS = "1.2.840.10008.1.2.4.80";
const JPEG_2000 = "1.2.840.10008.1.2.4.90";
const HT_JPEG_2000 = "1.2.840.10008.1.2.4.202";

const u16 = (n: number) => [n >> 8, n & 0xff];
const u32 = (n: number) => [...u16(n >>> 16), ...u16(n & 0xffff)];
const ascii = (text: string) => [...Buffer.from(text)];
const SOI = [0xff, 0xd8];
const EOI = [0xff, 0xd9];

/** What a stream's decoder is given; the pixels are those of nobody. */
async function given(
  stream: number[],
  transferSyntaxUID: string,
  pixels = readPixelModule({}, 0),
): Promise<Uint8Array | string> {
  let taken: Uint8Array | undefined;
  const codecs = {
    decode: async (_: string, encoded: Uint8Array) => {
      taken = encoded;
      return { rows: 1, columns: 1, samplesPerPixel: 1, samples: new Uint8Array(1) };
    },
    warm() {},
  };
  try {
    await decodeFrame(Uint8Array.from(stream), pixels, transferSyntaxUID, codecs);
  } catch (error) {
    if (error instanceof NoPicture) return error.failure;
    throw error;
  }
  return taken ?? "nothing";
}

const frameHeader = (marker: number, side: number) => [
  ...[0xff, marker, ...u16(11), 8],
  ...[...u16(side), ...u16(side), 1, 1, 0x11, 0],
];
const scan = [0xff, 0xda, ...u16(8), 1, 1, 0, 0, 0, 0, 1, 2, 3, 4];
const jpegLs = (...segments: number[][]) => [...SOI, ...segments.flat(), ...scan, ...EOI];
/** SOC and SIZ (ITU-T T.800 §A.5.1), and some bytes behind them. */
const codeStream = (side: number, { tile = side, components = 1 } = {}) => [
  ...[0xff, 0x4f, 0xff, 0x51, ...u16(38 + 3 * components), 0, 0],
  ...[side, side, 0, 0, tile, tile, 0, 0].flatMap(u32),
  ...u16(components),
  ...Array(components).fill([7, 1, 1]).flat(),
  ...[0xff, 0x52, 0, 0, 0, 0],
];
const box = (type: string, content: number[]) => [...u32(content.length + 8), ...ascii(type), ...content];
const jp2 = (stream: number[]) => [
  ...box("jP  ", [0x0d, 0x0a, 0x87, 0x0a]),
  ...box("ftyp", ascii("jp2 ")),
  ...box("jp2c", stream),
];

describe("a stream of a few bytes that claims more pixels than fit in memory reaches no decoder", () => {
  test.each([
    ["JPEG-LS", jpegLs(frameHeader(0xf7, 65_535)), JPEG_LS],
    [
      "JPEG-LS, after fill bytes and a comment",
      jpegLs([0xff], [0xff, 0xfe, 0, 3, 1], frameHeader(0xf7, 20_000)),
      JPEG_LS,
    ],
    [
      "JPEG-LS with a size of 32 bits",
      jpegLs(frameHeader(0xf7, 8), [0xff, 0xf8, ...u16(12), 4, 4, ...u32(70_000), ...u32(70_000)]),
      JPEG_LS,
    ],
    ["JPEG 2000", codeStream(65_535), JPEG_2000],
    ["JPEG 2000 in a JP2 file", jp2(codeStream(20_000)), JPEG_2000],
    ["HTJ2K", codeStream(20_000), HT_JPEG_2000],
    ["JPEG 2000 of tiles of one pixel", codeStream(255, { tile: 1 }), JPEG_2000],
  ])("%s", async (_, stream, syntax) => {
    expect(await given(stream, syntax)).toBe("unsupported");
  });

  test("JPEG with a small frame header behind the large one", async () => {
    const stream = [...SOI, ...frameHeader(0xc0, 65_500), ...scan, ...frameHeader(0xc0, 8), ...EOI];
    expect(await given(stream, JPEG)).toBe("undecodable");
  });

  test.each([
    ["JPEG-LS without a frame header", jpegLs(), JPEG_LS],
    ["a JPEG-LS stream that is cut off", SOI, JPEG_LS],
    ["a JP2 file without a code stream", jp2([]).slice(0, -8), JPEG_2000],
    ["a JP2 file in a JP2 file", jp2(jp2(codeStream(8))), JPEG_2000],
    ["no JPEG 2000", [...SOI, ...Array(64).fill(0)], JPEG_2000],
    ["tiles of no size", codeStream(64, { tile: 0 }), JPEG_2000],
  ])("%s is no picture", async (_, stream, syntax) => {
    expect(await given(stream, syntax)).toBeString();
  });
});

describe("an instance of a few bytes that claims more pixels than fit in memory is not decoded", () => {
  const claimed = { ...readPixelModule({}, 0), rows: 65_535, columns: 65_535 };
  const chrominance = { samplesPerPixel: 3, photometricInterpretation: "YBR_FULL_422" };
  const runs = [1, 64, ...Array(14).fill(0)].flatMap((n) => u32(n).reverse());
  test.each([
    ["run lengths", [...runs, 0, 7], RLE, claimed],
    ["chrominance that pixels share", Array(64).fill(0), EXPLICIT, { ...claimed, ...chrominance }],
    ["no rows", Array(64).fill(0), EXPLICIT, { ...claimed, rows: 0 }],
  ])("%s", async (_, bytes, syntax, pixels) => {
    expect(await given(bytes, syntax, pixels)).toBeOneOf(["unsupported", "undecodable"]);
  });
});

test("streams within bounds reach their decoders, without a JP2 file around them", async () => {
  const whole = async (stream: number[], syntax: string) => Array.from(await given(stream, syntax), Number);
  const [ls, stream] = [jpegLs(frameHeader(0xf7, 512)), codeStream(512, { tile: 64, components: 3 })];
  expect(await whole(ls, JPEG_LS)).toEqual(ls);
  expect(await whole(stream, JPEG_2000)).toEqual(stream);
  expect(await whole(stream, HT_JPEG_2000)).toEqual(stream);
  expect(await whole(jp2(stream), JPEG_2000)).toEqual(stream);
});
