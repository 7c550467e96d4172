import type { DecodedFrame } from "./decoded-frame.ts";
import type { PixelModule } from "./pixel-module.ts";
import { colourReader, paletteLevel } from "./read-colour.ts";
import { storedValue } from "./stored-value.ts";

/** Writes red, green and blue from 0 to 255 of a frame with three samples a pixel (PS3.3 §C.7.6.3.1.2). */
export function fillWithColours(bytes: Uint8Array, frame: DecodedFrame, pixels: PixelModule): void {
  const { rows, columns, samples, samplesPerPixel } = frame;
  const count = rows * columns;
  const clamped = new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.length);
  if (isPlain(frame, pixels)) bytes.set(samples.subarray(0, count * samplesPerPixel));
  else {
    const read = colourReader(frame, pixels);
    const colour = new Float32Array(3);
    for (let i = 0; i < count; i++) {
      read(i, colour);
      clamped.set(colour, i * 3);
    }
  }
  if (!frame.isRgb) transformToRgb(clamped, pixels.photometricInterpretation);
}

/** Whether the samples are the bytes. */
function isPlain({ samples, samplesPerPixel, isRgb }: DecodedFrame, pixels: PixelModule): boolean {
  const isByte = samples.BYTES_PER_ELEMENT === 1 && pixels.bitsStored >= 8;
  return isByte && samplesPerPixel === 3 && (isRgb === true || pixels.photometricInterpretation !== "HSV");
}

/** Turns luminance and chrominance, in values from 0 to 255, into red, green and blue; leaves other values as they are. */
export function transformToRgb(
  values: Uint8ClampedArray | Float32Array,
  photometricInterpretation: string,
): void {
  const isPartial = photometricInterpretation.startsWith("YBR_PARTIAL");
  if (!isPartial && !photometricInterpretation.startsWith("YBR_FULL")) return;
  const [gain, chroma, black] = isPartial ? [255 / 219, 255 / 224, 16] : [1, 1, 0];
  for (let i = 0; i < values.length; i += 3) {
    const luminance = ((values[i] ?? 0) - black) * gain;
    const blue = ((values[i + 1] ?? 0) - 128) * chroma;
    const red = ((values[i + 2] ?? 0) - 128) * chroma;
    values[i] = luminance + 1.402 * red;
    values[i + 1] = luminance - 0.344136 * blue - 0.714136 * red;
    values[i + 2] = luminance + 1.772 * blue;
  }
}

/** Writes the colours of a frame whose samples are palette indexes, as red, green and blue (PS3.3 §C.7.9). */
export function fillFromPalette(
  bytes: Uint8Array,
  frame: DecodedFrame,
  pixels: PixelModule,
  palette: NonNullable<PixelModule["palette"]>,
): void {
  const { rows, columns, samples, samplesPerPixel } = frame;
  const stored = storedValue(frame, pixels);
  for (let i = 0; i < rows * columns; i++) {
    const value = stored(samples[i * samplesPerPixel] ?? 0);
    for (const [c, table] of palette.entries()) bytes[i * 3 + c] = byte(paletteLevel(table, value));
  }
}

function byte(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)));
}
