import type { FrameTable } from "./frame-table.ts";

/** The byte ranges of a frame, in order, and the shift it needs to begin on a byte. */
export interface FrameLocation {
  /** Offsets from the first byte of the file (inflated, if the frame table says `deflated`). */
  ranges: [offset: number, length: number][];
  /** Present only if frames do not end on bytes: the frame is `bits` bits from bit `bit` (0–7) of the first byte. */
  shift?: { bit: number; bits: number };
}

/** Returns where frame `frameIndex` (0-based) is; undefined if there is no such frame. */
export function locateFrame(table: FrameTable, frameIndex: number): FrameLocation | undefined {
  if (table.kind === "none" || !Number.isInteger(frameIndex)) return undefined;
  if (frameIndex < 0 || frameIndex >= table.frameCount) return undefined;
  if (table.kind === "encapsulated") {
    const ranges = table.frames[frameIndex];
    return ranges && { ranges };
  }
  const { offset, frameBytes, frameBits } = table;
  if (frameBits === undefined) return { ranges: [[offset + frameIndex * frameBytes, frameBytes]] };
  const firstBit = frameIndex * frameBits;
  const firstByte = Math.floor(firstBit / 8);
  const endByte = Math.ceil((firstBit + frameBits) / 8);
  return {
    ranges: [[offset + firstByte, endByte - firstByte]],
    shift: { bit: firstBit % 8, bits: frameBits },
  };
}

/** How many bytes of the file hold frame `frameIndex` (0-based); undefined if there is no such frame. */
export function frameSizeBytes(table: FrameTable, frameIndex: number): number | undefined {
  return locateFrame(table, frameIndex)?.ranges.reduce((sum, [, length]) => sum + length, 0);
}

/**
 * Cuts one frame out of `bytes`, which begin at offset `base` of the file and contain all its ranges. The ranges are
 * joined, and shifted to begin on a byte if needed. A frame of one range without a shift is a view.
 */
export function assembleFrame(bytes: Uint8Array, base: number, { ranges, shift }: FrameLocation): Uint8Array {
  const joined = joinRanges(bytes, base, ranges);
  return shift ? alignBits(joined, shift.bit, shift.bits) : joined;
}

function joinRanges(bytes: Uint8Array, base: number, ranges: FrameLocation["ranges"]): Uint8Array {
  const [only] = ranges;
  if (only && ranges.length === 1) {
    const [offset, length] = only;
    return length === bytes.length ? bytes : bytes.subarray(offset - base, offset - base + length);
  }
  const joined = new Uint8Array(ranges.reduce((sum, [, length]) => sum + length, 0));
  let filled = 0;
  for (const [offset, length] of ranges) {
    joined.set(bytes.subarray(offset - base, offset - base + length), filled);
    filled += length;
  }
  return joined;
}

/** As {@link alignBits}, piece by piece. */
export async function* shiftPieces(
  pieces: AsyncIterable<Uint8Array>,
  { bit, bits }: NonNullable<FrameLocation["shift"]>,
): AsyncGenerator<Uint8Array> {
  let left = bits;
  let held = new Uint8Array(0);
  for await (const piece of pieces) {
    const joined = joinPieces(held, piece);
    // The last byte is held until the next piece brings its other half.
    const whole = Math.min(left - (left % 8), (joined.length - 1) * 8);
    if (whole > 0) yield alignBits(joined, bit, whole);
    left -= Math.max(0, whole);
    held = new Uint8Array(joined.subarray(Math.max(0, whole) / 8));
  }
  if (left > 0) yield alignBits(held, bit, left);
}

function joinPieces(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** `bits` bits from bit `bit` on, lowest bit first (PS3.5 §8.1.1); the rest of the last byte is zero. */
function alignBits(bytes: Uint8Array, bit: number, bits: number): Uint8Array {
  const aligned = new Uint8Array(Math.ceil(bits / 8));
  for (let i = 0; i < aligned.length; i += 1) {
    const pair = (bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8);
    aligned[i] = pair >>> bit;
  }
  const used = bits % 8;
  const last = aligned.length - 1;
  if (used > 0) aligned[last] = (aligned[last] ?? 0) & ((1 << used) - 1);
  return aligned;
}
