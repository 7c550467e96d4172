import { isVideo, TransferSyntax } from "../dicom/transfer-syntax.ts";
import { decodeJpeg } from "./decode-jpeg.ts";
import { decodeNative } from "./decode-native.ts";
import { decodeRle } from "./decode-rle.ts";
import type { DecodedFrame } from "./decoded-frame.ts";
import { NoPicture } from "./no-picture.ts";
import { assertDrawable } from "./pixel-bounds.ts";
import type { PixelModule } from "./pixel-module.ts";
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
  if (JPEG_LS.test(transferSyntaxUID)) return codecs.decode("jpegLs", bytes);
  if (JPEG_2000.test(transferSyntaxUID)) return decodeJpeg2000("jpeg2000", bytes, pixels, codecs);
  if (HT_JPEG_2000.test(transferSyntaxUID)) return decodeJpeg2000("htJpeg2000", bytes, pixels, codecs);
  throw new NoPicture("unsupported", isVideo(transferSyntaxUID) ? "video" : "transfer syntax");
}

async function decodeJpeg2000(
  name: "jpeg2000" | "htJpeg2000",
  bytes: Uint8Array,
  pixels: PixelModule,
  codecs: Codecs,
): Promise<DecodedFrame> {
  assertStreamDrawable(bytes);
  return { ...(await codecs.decode(name, bytes)), isRgb: isTransformedByCodec(pixels) };
}

/** Checks the size in the SIZ marker segment, which opens every code stream (ITU-T T.800 §A.5.1), before memory is allocated. */
function assertStreamDrawable(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 42 || view.getUint32(0) !== 0xff4fff51) return;
  const columns = view.getUint32(8) - view.getUint32(16);
  const rows = view.getUint32(12) - view.getUint32(20);
  assertDrawable({ rows, columns, samplesPerPixel: view.getUint16(40) });
}

/** Whether the codec already undid JPEG 2000's colour transform (PS3.3 §C.7.6.3.1.2). */
function isTransformedByCodec({ photometricInterpretation }: PixelModule): boolean {
  return /^YBR_(?:RCT|ICT)$/.test(photometricInterpretation);
}
