import type { DecodedFrame } from "../../../../shared/pixels/decoded-frame.ts";
import { NoPicture } from "../../../../shared/pixels/no-picture.ts";
import type { PixelModule } from "../../../../shared/pixels/pixel-module.ts";
import { storedValue } from "../../../../shared/pixels/stored-value.ts";
import type { NativePixels } from "../../dicomweb/decoded/frame-decoder.ts";

/** The largest native frame. The process that decodes it has it in memory several times. */
const MAX_NATIVE_BYTES = 32 * 1024 * 1024;

/** @throws {NoPicture} if the frames of an instance are too large, or of a kind that only encapsulated frames have */
export function assertNative({ rows, columns, samplesPerPixel, ...pixels }: PixelModule): void {
  const { bitsAllocated, pixelDataAs } = pixels;
  if (pixelDataAs === "float" || pixelDataAs === "double" || ![8, 16, 32].includes(bitsAllocated))
    throw new NoPicture("unsupported", `${bitsAllocated} bits allocated`);
  if (samplesPerPixel !== 1 && samplesPerPixel !== 3)
    throw new NoPicture("unsupported", `${samplesPerPixel} samples per pixel`);
  if ((rows * columns * samplesPerPixel * bitsAllocated) / 8 > MAX_NATIVE_BYTES)
    throw new NoPicture("unsupported", "too many pixels");
}

/**
 * The samples of a decoded frame as native pixel data (PS3.5 §8.1.1, §8.2): little-endian cells.
 * @param asDescribed whether they must be in the colours that the data set names, and lie as it says; otherwise the colours of the codec
 * are kept, those of a pixel side by side
 * @throws {NoPicture} if the frame is not what the data set says
 */
export function nativeFrame(frame: DecodedFrame, pixels: PixelModule, asDescribed: boolean): NativePixels {
  const { rows, columns, samplesPerPixel, samples } = frame;
  const isDescribed = rows === pixels.rows && columns === pixels.columns;
  if (!isDescribed || samplesPerPixel !== pixels.samplesPerPixel)
    throw new NoPicture("undecodable", "another size");
  const count = rows * columns * samplesPerPixel;
  if (samples.length < count) throw new NoPicture("undecodable", "pixels missing");
  const cells = cellsOf(frame, pixels, count);
  const { photometricInterpretation } = pixels;
  if (samplesPerPixel === 1) return { bytes: bytesOf(cells), photometricInterpretation };
  const native = inColours(cells, frame, pixels, asDescribed);
  const isPlanar = asDescribed && pixels.isPlanar && native.bytes.length === cells.byteLength;
  return isPlanar ? { ...native, bytes: inPlanes(native.bytes, cells.BYTES_PER_ELEMENT) } : native;
}

type Cells = Uint8Array | Uint16Array | Uint32Array;

/**
 * The codecs of JPEG know no sign: what they return is the bits of a signed value, whose sign is repeated in the rest of its cell.
 * @throws {NoPicture} if a sample has more bits than a cell
 */
function cellsOf(frame: DecodedFrame, pixels: PixelModule, count: number): Cells {
  const { samples } = frame;
  const { bitsAllocated, bitsStored, isSigned } = pixels;
  const cells = newCells(count, bitsAllocated);
  const isWithoutSign = samples instanceof Uint8Array || samples instanceof Uint16Array;
  const isSpread = isSigned && isWithoutSign && bitsStored < bitsAllocated && bitsStored <= 16;
  const stored = storedValue(frame, pixels);
  const mask = 2 ** bitsStored - 1;
  const isWider = samples.BYTES_PER_ELEMENT * 8 > bitsAllocated;
  for (let i = 0; i < count; i++) {
    const sample = samples[i] ?? 0;
    if (isWider && (sample < 0 || sample >= 2 ** bitsAllocated))
      throw new NoPicture("undecodable", "more bits than allocated");
    const value = isSpread ? stored(sample) : sample;
    // Bits beside the stored ones may hold an old overlay.
    cells[i] = isSpread && sample !== (value & mask) ? sample : value;
  }
  return cells;
}

function newCells(count: number, bitsAllocated: number): Cells {
  if (bitsAllocated === 8) return new Uint8Array(count);
  return bitsAllocated === 16 ? new Uint16Array(count) : new Uint32Array(count);
}

/** All machines that this runs on are little-endian. */
function bytesOf({ buffer, byteOffset, byteLength }: Cells): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** PS3.3 §C.7.6.3.1.2 */
function inColours(
  cells: Cells,
  { isRgb, columns }: DecodedFrame,
  { photometricInterpretation: named }: PixelModule,
  asDescribed: boolean,
): NativePixels {
  const isOfCodec = named === "YBR_RCT" || named === "YBR_ICT";
  if (isRgb) {
    // The two names are of transforms within JPEG 2000: native pixels that a codec turned back are red, green and blue.
    if (named === "RGB" || isOfCodec || !asDescribed)
      return { bytes: bytesOf(cells), photometricInterpretation: "RGB" };
    if (!(cells instanceof Uint8Array)) throw new NoPicture("unsupported", "colours of more than 8 bits");
    return described(toYbr(cells), columns, named);
  }
  if (isOfCodec) throw new NoPicture("undecodable", "colours without their codec");
  // Native pixels of that name share their chrominance, and there is no other name for those that don't.
  if (named.startsWith("YBR_PARTIAL")) throw new NoPicture("unsupported", "these colours");
  if (named !== "YBR_FULL_422") return { bytes: bytesOf(cells), photometricInterpretation: named };
  if (!asDescribed) return { bytes: bytesOf(cells), photometricInterpretation: "YBR_FULL" };
  if (!(cells instanceof Uint8Array)) throw new NoPicture("unsupported", "colours of more than 8 bits");
  return described(cells, columns, named);
}

/** Samples of YBR_FULL as one of that, or of YBR_FULL_422. */
function described(samples: Uint8Array, columns: number, named: string): NativePixels {
  if (named === "YBR_FULL") return { bytes: samples, photometricInterpretation: named };
  if (named !== "YBR_FULL_422" || columns % 2 === 1) throw new NoPicture("unsupported", "these colours");
  return { bytes: inPairs(samples), photometricInterpretation: named };
}

/** In the same memory, since a large frame leaves the process little more. */
function toYbr(samples: Uint8Array): Uint8Array {
  // Values are rounded, and those beyond are the nearest ones.
  const ybr = new Uint8ClampedArray(samples.buffer, samples.byteOffset, samples.length);
  for (let i = 0; i < samples.length; i += 3) {
    const red = samples[i] ?? 0;
    const green = samples[i + 1] ?? 0;
    const blue = samples[i + 2] ?? 0;
    ybr[i] = 0.299 * red + 0.587 * green + 0.114 * blue;
    ybr[i + 1] = 128 - 0.168736 * red - 0.331264 * green + 0.5 * blue;
    ybr[i + 2] = 128 + 0.5 * red - 0.418688 * green - 0.081312 * blue;
  }
  return samples;
}

/** The samples of one colour after those of another (PS3.3 §C.7.6.3.1.3). */
function inPlanes(mixed: Uint8Array, cellBytes: number): Uint8Array {
  const planes = new Uint8Array(mixed.length);
  const pixelBytes = 3 * cellBytes;
  let to = 0;
  for (let colour = 0; colour < 3; colour++)
    for (let pixel = colour * cellBytes; pixel < mixed.length; pixel += pixelBytes)
      for (let at = pixel; at < pixel + cellBytes; at++) planes[to++] = mixed[at] ?? 0;
  return planes;
}

/** Two pixels share the mean of their chrominance. In the same memory. */
function inPairs(ybr: Uint8Array): Uint8Array {
  const meanOf = (one: number) => ((ybr[one] ?? 0) + (ybr[one + 3] ?? 0) + 1) >> 1;
  for (let from = 0, to = 0; from < ybr.length; from += 6, to += 4) {
    const second = ybr[from + 3] ?? 0;
    const blue = meanOf(from + 1);
    const red = meanOf(from + 2);
    ybr[to] = ybr[from] ?? 0;
    ybr[to + 1] = second;
    ybr[to + 2] = blue;
    ybr[to + 3] = red;
  }
  return ybr.subarray(0, (ybr.length / 3) * 2);
}
