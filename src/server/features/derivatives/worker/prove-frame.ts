import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import { decodeFrame } from "../../../../shared/pixels/decode-frame.ts";
import type { DecodedFrame } from "../../../../shared/pixels/decoded-frame.ts";
import { assertDrawable } from "../../../../shared/pixels/pixel-bounds.ts";
import type { PixelModule } from "../../../../shared/pixels/pixel-module.ts";
import { storedValue } from "../../../../shared/pixels/stored-value.ts";
import type { Codecs } from "../../../../shared/pixels/wasm-codec.ts";
import { DECOMPOSITIONS } from "../../../holdings/derivatives/derivative-index.ts";
import type { ProvenFrame, SampleFormat } from "./encode-messages.ts";
import type { Encode, Raster } from "./htj2k-encoder.ts";
import { tilePartEnds } from "./resolution-ends.ts";

/** A frame has no lossless copy. */
export class NotProven extends Error {
  override name = "NotProven";
}

/** The largest code stream, which a request for a frame holds in memory. */
const MAX_CODE_STREAM_BYTES = 16 * 1024 * 1024;

interface Codec {
  encode: Encode;
  codecs: Codecs;
}

/**
 * Encodes a frame as lossless HTJ2K, decodes it again, and compares every sample.
 * @throws {NotProven} {NoPicture} if the frame has no copy that is equal and is shown alike
 */
export async function proveFrame(
  frame: Uint8Array,
  { format, transferSyntaxUID }: { format: SampleFormat; transferSyntaxUID: string },
  { encode, codecs }: Codec,
): Promise<ProvenFrame> {
  const pixels = pixelModuleOf(format);
  assertDrawable(pixels);
  const original = await decodeFrame(frame, pixels, transferSyntaxUID, codecs);
  const raster = rasterOf(original, pixels);
  const codeStream = await encode(raster);
  if (codeStream.length > MAX_CODE_STREAM_BYTES) throw new NotProven("too large");
  const copy = await decodeFrame(codeStream, pixels, TransferSyntax.htJpeg2000Rpcl, codecs);
  if (!isSame(copy, raster)) throw new NotProven("other samples");
  const prefixLengths = tilePartEnds(codeStream);
  if (prefixLengths?.length !== DECOMPOSITIONS + 1) throw new NotProven("other resolutions");
  return { codeStream, prefixLengths };
}

function pixelModuleOf(format: SampleFormat): PixelModule {
  return {
    ...format,
    rescale: { slope: 1, intercept: 0 },
    isInverted: false,
    pixelAspect: 1,
  };
}

const ONE_SAMPLE = /^(?:MONOCHROME[12]|PALETTE COLOR)$/;
/** As luminance and differences (YBR_RCT), which every decoder turns back: without the transform, OHIF's puts them elsewhere. */
const COLOURS = /^(?:RGB|YBR_RCT)$/;

/** The samples to encode. @throws {NotProven} if a viewer would take those of a code stream for something else */
function rasterOf(frame: DecodedFrame, pixels: PixelModule): Raster {
  const { rows, columns, samplesPerPixel, samples } = frame;
  const { photometricInterpretation, bitsAllocated } = pixels;
  const isDescribed = rows === pixels.rows && columns === pixels.columns;
  if (!isDescribed || samplesPerPixel !== pixels.samplesPerPixel) throw new NotProven("another size");
  if (samples.length !== rows * columns * samplesPerPixel) throw new NotProven("samples missing");
  const shownAlike = { 1: ONE_SAMPLE, 3: COLOURS }[samplesPerPixel];
  if (!shownAlike?.test(photometricInterpretation)) throw new NotProven("photometric interpretation");
  if (bitsAllocated !== 8 && bitsAllocated !== 16) throw new NotProven("bits allocated");
  if (pixels.pixelDataAs === "float" || pixels.pixelDataAs === "double") throw new NotProven("fractions");
  if (frame.isRgb === true && samplesPerPixel === 1) throw new NotProven("photometric interpretation");
  const format = storedSamples(frame, pixels) ?? wholeCells(frame, pixels);
  // The encoder and OHIF's decoder take such samples for unsigned ones, unlike other decoders.
  if (format.isSigned && format.bits <= 8) throw new NotProven("signed bytes");
  return { rows, columns, samplesPerPixel, ...format };
}

type RasterSamples = Pick<Raster, "samples" | "bits" | "isSigned">;

/** The stored values; `undefined` if the bits beside them say anything, which an old overlay may. */
function storedSamples(frame: DecodedFrame, pixels: PixelModule): RasterSamples | undefined {
  const { samples } = frame;
  const { bitsStored, highBit, bitsAllocated, isSigned } = pixels;
  // Viewers take a precision of 8 bits for samples of one byte.
  const isPlain = highBit === bitsStored - 1 && bitsStored >= 1 && (bitsAllocated === 8 || bitsStored > 8);
  if (!isPlain) return undefined;
  const stored = storedValue(frame, pixels);
  const values = cells(samples.length, bitsAllocated, isSigned);
  const mask = 2 ** bitsStored - 1;
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i] ?? 0;
    const value = stored(sample);
    // The other bits are empty, or repeat the sign.
    if (sample !== value && sample !== (value & mask)) return undefined;
    values[i] = value;
  }
  return { samples: values, bits: Math.max(8, bitsStored), isSigned };
}

/** Everything that was stored, as numbers of as many bits as were allocated. */
function wholeCells({ samples }: DecodedFrame, { bitsAllocated, isSigned }: PixelModule): RasterSamples {
  const values = cells(samples.length, bitsAllocated, isSigned);
  for (let i = 0; i < samples.length; i++) values[i] = samples[i] ?? 0;
  return { samples: values, bits: bitsAllocated, isSigned };
}

function cells(length: number, bitsAllocated: number, isSigned: boolean) {
  if (bitsAllocated === 8) return isSigned ? new Int8Array(length) : new Uint8Array(length);
  return isSigned ? new Int16Array(length) : new Uint16Array(length);
}

function isSame(copy: DecodedFrame, raster: Raster): boolean {
  const { rows, columns, samplesPerPixel, samples } = raster;
  const hasSize = copy.rows === rows && copy.columns === columns && copy.samplesPerPixel === samplesPerPixel;
  if (!hasSize || copy.samples.length !== samples.length) return false;
  for (let i = 0; i < samples.length; i++) if (samples[i] !== copy.samples[i]) return false;
  return true;
}
