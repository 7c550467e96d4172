import type { DecodedFrame } from "./decoded-frame.ts";
import type { PixelModule } from "./pixel-module.ts";

/** Extracts the value from the stored bits; the other bits may hold overlays. */
export function storedValue(
  { samples }: Pick<DecodedFrame, "samples">,
  pixels: Pick<PixelModule, "bitsStored" | "highBit" | "bitsAllocated" | "isSigned">,
): (sample: number) => number {
  const { bitsStored, highBit, bitsAllocated, isSigned } = pixels;
  const isFloat = samples instanceof Float32Array || samples instanceof Float64Array;
  if (isFloat || bitsStored > 32) return (sample) => sample;
  const shift = Math.max(0, Math.min(highBit + 1, bitsAllocated) - bitsStored);
  // A codec may return signed values as raw bits.
  if (bitsStored > 16) {
    const [above, below] = [Math.max(0, 32 - bitsStored - shift), 32 - bitsStored];
    return isSigned ? (sample) => (sample << above) >> below : (sample) => (sample << above) >>> below;
  }
  const mask = (1 << bitsStored) - 1;
  const sign = 1 << (bitsStored - 1);
  if (!isSigned) return (sample) => (sample >> shift) & mask;
  return (sample) => (((sample >> shift) & mask) ^ sign) - sign;
}
