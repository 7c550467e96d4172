import { NoPicture } from "./no-picture.ts";

/** Larger than any detector; at two bytes a sample 128 MB. */
const MAX_SAMPLES = 64 * 1024 * 1024;

/** @throws {NoPicture} when a frame has no pixels, or more than may be held */
export function assertDrawable(frame: { rows: number; columns: number; samplesPerPixel: number }): void {
  const { rows, columns, samplesPerPixel } = frame;
  const isWhole = [rows, columns, samplesPerPixel].every((n) => Number.isInteger(n) && n > 0);
  if (!isWhole || samplesPerPixel > 4) throw new NoPicture("undecodable", "no pixels");
  if (rows * columns * samplesPerPixel > MAX_SAMPLES) throw new NoPicture("unsupported", "too many pixels");
}
