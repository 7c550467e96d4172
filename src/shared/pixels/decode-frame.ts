import { isVideo, TransferSyntax } from "../dicom/transfer-syntax.ts";
import { decodeJpeg } from "./decode-jpeg.ts";
import { decodeJpeg2000 } from "./decode-jpeg-2000.ts";
import { decodeNative } from "./decode-native.ts";
import { decodeRle } from "./decode-rle.ts";
import type { DecodedFrame } from "./decoded-frame.ts";
import { NoPicture } from "./no-picture.ts";
import type { PixelModule } from "./pixel-module.ts";
import { assertJpegLsDrawable } from "./stream-bounds.ts";
import type { CodecName, Codecs } from "./wasm-codec.ts";

const NATIVE: ReadonlySet<string> = new Set([
  TransferSyntax.implicitLittleEndian,
  TransferSyntax.explicitLittleEndian,
  TransferSyntax.deflatedExplicitLittleEndian,
  TransferSyntax.explicitBigEndian,
  /** Encapsulated Uncompressed Explicit VR Little Endian */
  "1.2.840.10008.1.2.1.98",
]);
const JPEG = /^1\.2\.840\.10008\.1\.2\.4\.(?:5\d|6[0-6]|70)$/;
const OWN_JPEG = /^1\.2\.840\.10008\.1\.2\.4\.(?:5[35]|57|70)$/;
const JPEG_LS = /^1\.2\.840\.10008\.1\.2\.4\.8[01]$/;
const JPEG_2000 = /^1\.2\.840\.10008\.1\.2\.4\.9[0-3]$/;
const HT_JPEG_2000 = /^1\.2\.840\.10008\.1\.2\.4\.20[1-3]$/;

/** The codec that a transfer syntax may need; undefined if the code here decodes it without one. */
export function codecOf(transferSyntaxUID: string): CodecName | undefined {
  if (JPEG.test(transferSyntaxUID)) return OWN_JPEG.test(transferSyntaxUID) ? undefined : "jpeg";
  if (JPEG_LS.test(transferSyntaxUID)) return "jpegLs";
  if (JPEG_2000.test(transferSyntaxUID)) return "jpeg2000";
  return HT_JPEG_2000.test(transferSyntaxUID) ? "htJpeg2000" : undefined;
}

/** Decodes the samples of one frame. @throws {NoPicture} */
export async function decodeFrame(
  bytes: Uint8Array,
  pixels: PixelModule,
  transferSyntaxUID: string,
  codecs: Codecs,
): Promise<DecodedFrame> {
  if (NATIVE.has(transferSyntaxUID)) return decodeNative(bytes, pixels, transferSyntaxUID);
  if (transferSyntaxUID === TransferSyntax.rleLossless) return decodeRle(bytes, pixels);
  if (JPEG.test(transferSyntaxUID)) return decodeJpeg(bytes, pixels, codecs);
  if (JPEG_LS.test(transferSyntaxUID)) return decodeJpegLs(bytes, codecs);
  if (JPEG_2000.test(transferSyntaxUID)) return decodeJpeg2000("jpeg2000", bytes, pixels, codecs);
  if (HT_JPEG_2000.test(transferSyntaxUID)) return decodeJpeg2000("htJpeg2000", bytes, pixels, codecs);
  throw new NoPicture("unsupported", isVideo(transferSyntaxUID) ? "video" : "transfer syntax");
}

async function decodeJpegLs(bytes: Uint8Array, codecs: Codecs): Promise<DecodedFrame> {
  assertJpegLsDrawable(bytes);
  return await codecs.decode("jpegLs", bytes);
}
