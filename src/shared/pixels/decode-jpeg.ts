import type { DecodedFrame } from "./decoded-frame.ts";
import { decodeLosslessJpeg } from "./jpeg/decode-lossless.ts";
import { decodeProgressiveJpeg } from "./jpeg/decode-progressive.ts";
import { decodeSequentialJpeg } from "./jpeg/decode-sequential.ts";
import { type JpegFrame, type JpegSegments, readJpegSegments } from "./jpeg/jpeg-segments.ts";
import { NoPicture } from "./no-picture.ts";
import { assertDrawable } from "./pixel-bounds.ts";
import type { PixelModule } from "./pixel-module.ts";
import type { Codecs } from "./wasm-codec.ts";

const LOSSLESS = 3;
const PROGRESSIVE = 2;
const SEQUENTIAL = 1;

/** Adobe's marker segment for "no colour transform"; without it, decoders take three components for YCbCr. */
const NO_TRANSFORM = Uint8Array.of(0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, 0);

/** Decodes any JPEG stream, as its frame header says and not the transfer syntax. @throws {NoPicture} */
export async function decodeJpeg(
  bytes: Uint8Array,
  pixels: PixelModule,
  codecs: Codecs,
): Promise<DecodedFrame> {
  const segments = readJpegSegments(bytes);
  const { process, precision } = segments.frame;
  assertDrawable({ ...segments.frame, samplesPerPixel: segments.frame.components.length });
  if (process === LOSSLESS) return decodeLosslessJpeg(bytes, segments);
  if (process === SEQUENTIAL && precision > 8) return decodeSequentialJpeg(bytes, segments);
  if (process === PROGRESSIVE && precision > 8) return decodeProgressiveJpeg(bytes, segments);
  if (precision > 8 || process > LOSSLESS) throw new NoPicture("unsupported", `JPEG process ${process}`);
  return decodeEightBits(bytes, segments, pixels, codecs);
}

async function decodeEightBits(
  bytes: Uint8Array,
  { frame, hasAdobeMarker }: JpegSegments,
  { photometricInterpretation }: PixelModule,
  codecs: Codecs,
): Promise<DecodedFrame> {
  // Some writers keep "RGB" of what they compressed as luminance and colour: the codec takes a JFIF file for that, whatever is said.
  const isPlainRgb = photometricInterpretation === "RGB" && !hasAdobeMarker && !isSubsampled(frame);
  const stream = isPlainRgb ? withNoTransform(bytes) : bytes;
  return { ...(await codecs.decode("jpeg", stream)), isRgb: true };
}

/** Whether pixels share samples of some component, which nobody does to red, green and blue. */
function isSubsampled({ components: [first, ...others] }: JpegFrame): boolean {
  return others.some(
    ({ horizontal, vertical }) => horizontal !== first?.horizontal || vertical !== first?.vertical,
  );
}

/** Puts Adobe's marker after the first one, which opens the stream. */
function withNoTransform(bytes: Uint8Array): Uint8Array {
  const stream = new Uint8Array(bytes.length + NO_TRANSFORM.length);
  stream.set(bytes.subarray(0, 2));
  stream.set(NO_TRANSFORM, 2);
  stream.set(bytes.subarray(2), 2 + NO_TRANSFORM.length);
  return stream;
}
