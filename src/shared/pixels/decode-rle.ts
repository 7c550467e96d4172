import { samplesOf } from "./decode-native.ts";
import type { DecodedFrame } from "./decoded-frame.ts";
import { NoPicture } from "./no-picture.ts";
import { assertDrawable } from "./pixel-bounds.ts";
import type { PixelModule } from "./pixel-module.ts";

const HEADER_BYTES = 64;
const MAX_SEGMENTS = 15;

/**
 * RLE Lossless (PS3.5 annex G): a segment for each byte of a pixel, the high bytes of a sample first.
 * @throws {NoPicture} when a segment is missing, or more pixels are declared than may be held
 */
export function decodeRle(bytes: Uint8Array, pixels: PixelModule): DecodedFrame {
  assertDrawable(pixels);
  const { rows, columns, samplesPerPixel, bitsAllocated } = pixels;
  const sampleBytes = Math.max(1, bitsAllocated / 8);
  const pixelBytes = sampleBytes * samplesPerPixel;
  const segments = segmentsOf(bytes).slice(0, pixelBytes);
  if (segments.length < pixelBytes || segments.some(({ length }) => length === 0))
    throw new NoPicture("undecodable", "RLE segments missing");
  const interleaved = new Uint8Array(rows * columns * pixelBytes);
  for (const [segment, part] of segments.entries()) {
    const sample = Math.floor(segment / sampleBytes);
    const byte = sampleBytes - 1 - (segment % sampleBytes);
    unpackSegment(part, interleaved, sample * sampleBytes + byte, pixelBytes);
  }
  const samples = samplesOf(interleaved, pixels, rows * columns * samplesPerPixel);
  return { rows, columns, samplesPerPixel, samples };
}

function segmentsOf(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length < HEADER_BYTES ? 0 : view.getUint32(0, true);
  if (count === 0 || count > MAX_SEGMENTS) throw new NoPicture("undecodable", "no RLE header");
  const starts = Array.from({ length: count }, (_, i) => view.getUint32(4 + i * 4, true));
  return starts.map((start, i) => bytes.subarray(start, starts[i + 1] ?? bytes.length));
}

/** Decodes PackBits into every `step`th byte from `first`; ignores bytes beyond the end. */
function unpackSegment(segment: Uint8Array, out: Uint8Array, first: number, step: number): void {
  let at = first;
  for (let i = 0; i < segment.length && at < out.length; ) {
    const head = segment[i++] ?? 128;
    if (head === 128) continue;
    const isRun = head > 128;
    const length = isRun ? 257 - head : head + 1;
    for (let k = 0; k < length && at < out.length; k++, at += step) {
      out[at] = segment[isRun ? i : i + k] ?? 0;
    }
    i += isRun ? 1 : length;
  }
}
