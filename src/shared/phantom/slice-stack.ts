/** The thickest slices of a stack, in mm. */
export const MAX_THICKNESS_MM = 5;

/** A stack of parallel slices from the feet's side to the head's. */
export interface SliceStack {
  /** Heights in mm, evenly spaced. */
  heights: readonly number[];
  /** From one slice to the next, in mm. */
  step: number;
}

/** `count` slices between two heights in mm; a single one lies at `singleZ`. */
export function stackSlices(count: number, from: number, to: number, singleZ: number): SliceStack {
  if (count <= 1) return { heights: [singleZ], step: MAX_THICKNESS_MM };
  const step = (to - from) / (count - 1);
  const heights = Array.from({ length: count }, (_, i) => Number((from + i * step).toFixed(3)));
  return { heights, step };
}
