import { isVideo, TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import { decodeJpeg } from "./decode-jpeg.ts";
import { decodeNative } from "./decode-native.ts";
import { decodeRle } from "./decode-rle.ts";
import type { DecodedFrame } from "./decoded-frame.ts";
import { NoPicture } from "./no-picture.ts";
import { assertDrawable } from "./pixel-bounds.ts";
import type { PixelModule } from "./pixel-module.ts";
import { decodeWith } from "./wasm-codec.ts";

const NATIVE: ReadonlySet<string> = new Set([
  TransferSyntax.implicitLittleEndian,
  TransferSyntax.explicitLittleEndian,
  TransferSyntax.deflatedExplicitLittleEndian,
  TransferSyntax.explicitBigEndian,
  /** Encapsulated Uncompressed Explicit VR Little Endian */
  "1.2.840.10008.1.2.1.98",
]);
const JPEG = /^1\.2\.840\.10008\.1\.2\.4\.(?:5\d|6[0-6]|70)$/;
const JPEG_LS = /^1\.2\.840\.10008\.1\.2\.4\.8[01]$/;
const JPEG_2000 = /^1\.2\.840\.10008\.1\.2\.4\.9[0-3]$/;
const HT_JPEG_2000 = /^1\.2\.840\.10008\.1\.2\.4\.20[1-3]$/;

/** Decodes the samples of one frame. @throws {NoPicture} */
export async function decodeFrame(
  bytes: Uint8Array,
  pixels: PixelModule,
  transferSyntaxUID: string,
): Promise<DecodedFrame> {
  if (NATIVE.has(transferSyntaxUID)) return decodeNative(bytes, pixels, transferSyntaxUID);
  if (transferSyntaxUID === TransferSyntax.rleLossless) return decodeRle(bytes, pixels);
  if (JPEG.test(transferSyntaxUID)) return decodeJpeg(bytes, pixels);
  if (JPEG_LS.test(transferSyntaxUID)) return decodeJpegLs(bytes);
  if (JPEG_2000.test(transferSyntaxUID)) return decodeJpeg2000(bytes, pixels);
  if (HT_JPEG_2000.test(transferSyntaxUID)) return decodeHtJpeg2000(bytes, pixels);
  throw new NoPicture("unsupported", isVideo(transferSyntaxUID) ? "video" : "transfer syntax");
}

async function decodeJpegLs(bytes: Uint8Array): Promise<DecodedFrame> {
  const { default: factory } = await import("@cornerstonejs/codec-charls/decodewasmjs");
  const { default: wasm } = await import("@cornerstonejs/codec-charls/decodewasm", {
    with: { type: "file" },
  });
  return await decodeWith({ factory, path: wasm, decoderName: "JpegLSDecoder" }, bytes);
}

async function decodeJpeg2000(bytes: Uint8Array, pixels: PixelModule): Promise<DecodedFrame> {
  const { default: factory } = await import("@cornerstonejs/codec-openjpeg/decodewasmjs");
  const { default: wasm } = await import("@cornerstonejs/codec-openjpeg/decodewasm", {
    with: { type: "file" },
  });
  assertStreamDrawable(bytes);
  const decoded = await decodeWith({ factory, path: wasm, decoderName: "J2KDecoder" }, bytes);
  return { ...decoded, isRgb: isTransformedByCodec(pixels) };
}

async function decodeHtJpeg2000(bytes: Uint8Array, pixels: PixelModule): Promise<DecodedFrame> {
  const { default: factory } = await import("@cornerstonejs/codec-openjph/wasmjs");
  const { default: wasm } = await import("@cornerstonejs/codec-openjph/wasm", { with: { type: "file" } });
  assertStreamDrawable(bytes);
  const decoded = await decodeWith({ factory, path: wasm, decoderName: "HTJ2KDecoder" }, bytes);
  return { ...decoded, isRgb: isTransformedByCodec(pixels) };
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
