import type { DecodedFrame } from "./decoded-frame.ts";
import type { PixelModule } from "./pixel-module.ts";

/** Extracts the value from the stored bits; the other bits may hold overlays. */
export function storedValue(
  { samples }: Pick<DecodedFrame, "samples">,
  pixels: Pick<PixelModule, "bitsStored" | "highBit" | "bitsAllocated" | "isSigned">,
): (sample: number) => number {
  const { bitsStored, highBit, bitsAllocated, isSigned } = pixels;
  const isFloat = samples instanceof Float32Array || samples instanceof Float64Array;
  // A codec may return signed values as raw bits.
  if (isFloat || bitsStored > 16) return (sample) => sample;
  const shift = Math.max(0, Math.min(highBit + 1, bitsAllocated) - bitsStored);
  const mask = (1 << bitsStored) - 1;
  const sign = 1 << (bitsStored - 1);
  if (!isSigned) return (sample) => (sample >> shift) & mask;
  return (sample) => (((sample >> shift) & mask) ^ sign) - sign;
}
