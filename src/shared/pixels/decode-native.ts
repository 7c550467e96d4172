import { reverseWords } from "../dicom/reverse-words.ts";
import { TransferSyntax } from "../dicom/transfer-syntax.ts";
import { type DecodedFrame, interleave, type Samples } from "./decoded-frame.ts";
import { NoPicture } from "./no-picture.ts";
import { assertDrawable } from "./pixel-bounds.ts";
import type { PixelModule } from "./pixel-module.ts";

/**
 * Decodes uncompressed pixel data (PS3.5 §8.1, §A.1 to §A.3). Missing samples at the end are zero.
 * @throws {NoPicture} when most of them are missing, or more are declared than may be held
 */
export function decodeNative(
  bytes: Uint8Array,
  pixels: PixelModule,
  transferSyntaxUID: string,
): DecodedFrame {
  assertDrawable(pixels);
  const { rows, columns, samplesPerPixel } = pixels;
  const littleEndian = inLittleEndian(bytes, pixels, transferSyntaxUID);
  const count = rows * columns * samplesPerPixel;
  if (isSubsampled(littleEndian.length, pixels)) {
    return { rows, columns, samplesPerPixel, samples: spreadChrominance(littleEndian, count) };
  }
  const wholeBytes = (count * pixels.bitsAllocated) / 8;
  if (littleEndian.length < wholeBytes / 2) throw new NoPicture("undecodable", "pixels missing");
  const samples = samplesOf(littleEndian, pixels, count);
  const isPlanar = pixels.isPlanar && samplesPerPixel > 1;
  return {
    rows,
    columns,
    samplesPerPixel,
    samples: isPlanar ? interleave(samples, samplesPerPixel) : samples,
  };
}

const WIDTHS: ReadonlySet<number> = new Set([1, 8, 16, 32, 64]);

/** The first `count` samples of little-endian bytes. @throws {NoPicture} */
export function samplesOf(bytes: Uint8Array, pixels: PixelModule, count: number): Samples {
  const { bitsAllocated, isSigned, pixelDataAs } = pixels;
  if (!WIDTHS.has(bitsAllocated)) throw new NoPicture("unsupported", `${bitsAllocated} bits allocated`);
  const width = bitsAllocated === 1 ? 1 : bitsAllocated / 8;
  const whole = new Uint8Array(count * width);
  if (bitsAllocated === 1) return unpackBits(bytes, whole);
  whole.set(bytes.subarray(0, whole.length));
  const { buffer } = whole;
  if (pixelDataAs === "float") return new Float32Array(buffer);
  if (pixelDataAs === "double") return new Float64Array(buffer);
  switch (bitsAllocated) {
    case 8:
      return isSigned ? new Int8Array(buffer) : whole;
    case 16:
      return isSigned ? new Int16Array(buffer) : new Uint16Array(buffer);
    case 32:
      return isSigned ? new Int32Array(buffer) : new Uint32Array(buffer);
    default:
      throw new NoPicture("unsupported", `${bitsAllocated} bits allocated`);
  }
}

/** Lowest bit first (PS3.5 §8.1.1). */
function unpackBits(bytes: Uint8Array, samples: Uint8Array): Uint8Array {
  for (let i = 0; i < samples.length; i++) samples[i] = ((bytes[i >> 3] ?? 0) >> (i & 7)) & 1;
  return samples;
}

/** Bytes of a word of native pixel data, the unit that big-endian files swap: a sample, and at least 16 bits in OW (PS3.5 §8.1). */
export function pixelWordBytes({
  bitsAllocated,
  pixelDataAs,
}: Pick<PixelModule, "bitsAllocated" | "pixelDataAs">): number {
  return Math.ceil(Math.max(bitsAllocated / 8, pixelDataAs === "words" ? 2 : 1));
}

function inLittleEndian(bytes: Uint8Array, pixels: PixelModule, transferSyntaxUID: string): Uint8Array {
  if (transferSyntaxUID !== TransferSyntax.explicitBigEndian) return bytes;
  return reverseWords(bytes.slice(), pixelWordBytes(pixels));
}

/** Whether two pixels share their chrominance and so take four samples (PS3.3 §C.7.6.3.1.2). */
function isSubsampled(length: number, pixels: PixelModule): boolean {
  const { rows, columns, samplesPerPixel, bitsAllocated, photometricInterpretation } = pixels;
  const isNamed = /^YBR_(?:FULL|PARTIAL)_422$/.test(photometricInterpretation);
  return isNamed && samplesPerPixel === 3 && bitsAllocated === 8 && length < rows * columns * 3;
}

function spreadChrominance(bytes: Uint8Array, count: number): Uint8Array {
  const samples = new Uint8Array(count);
  for (let pair = 0; pair * 6 < count; pair++) {
    const [first = 0, second = 0, blue = 0, red = 0] = bytes.subarray(pair * 4, pair * 4 + 4);
    samples.set([first, blue, red, second, blue, red].slice(0, count - pair * 6), pair * 6);
  }
  return samples;
}
