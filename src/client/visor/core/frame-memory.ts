import type { PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";
import { pixelsOf } from "./frame-cache.ts";

/**
 * Memory of frames that left the cache, for frames to come: so a person who scrolls makes no garbage, which waits long for its
 * collection.
 */
export interface FrameMemory {
  /** Memory of exactly this size; undefined where none is free. */
  take(sizeBytes: number): ArrayBuffer | undefined;
  /** Takes a frame that nobody will draw any more. */
  give(frame: PreparedFrame): void;
}

/** Frames that are decoded at once, and some that the screen may still be drawing. */
const MAX_FREE = 8;
/** The frames given last stay as they are: the screen may still be drawing them. */
const RESTING = 2;

export function createFrameMemory(): FrameMemory {
  let free: ArrayBuffer[] = [];
  return {
    take(sizeBytes) {
      const place = free.slice(0, -RESTING).findIndex(({ byteLength }) => byteLength === sizeBytes);
      return place < 0 ? undefined : free.splice(place, 1)[0];
    },
    give(frame) {
      const { buffer } = pixelsOf(frame);
      if (buffer instanceof ArrayBuffer && buffer.byteLength > 0) free = [...free, buffer].slice(-MAX_FREE);
    },
  };
}
