import { HEAD_RANGE } from "./head.ts";
import { type SliceStack, stackSlices } from "./slice-stack.ts";

export const HEAD_FIELD_MM = 220;
const SINGLE_Z = 22;

/** Slices of a head from its base to its crown. */
export function headSlices(count: number): SliceStack {
  return stackSlices(count, HEAD_RANGE.bottom + 6, HEAD_RANGE.top - 4, SINGLE_Z);
}
