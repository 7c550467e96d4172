import type { PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";
import { freeBytes } from "./free-bytes.ts";

/** Decoded frames up to a number of bytes. What is farthest from the seen frame leaves first, and is empty soon after. */
export interface FrameCache {
  get(key: string): PreparedFrame | undefined;
  /** @param distanceOf how far a kept frame is from the seen one */
  add(key: string, frame: PreparedFrame, distanceOf: (key: string) => number): void;
  clear(): void;
  readonly sizeBytes: number;
}

export function pixelsOf(frame: PreparedFrame): Uint8Array | Uint16Array {
  return frame.kind === "grey" ? frame.indexes : frame.bytes;
}

export function createFrameCache(maxBytes: number): FrameCache {
  const frames = new Map<string, PreparedFrame>();
  /** What the last `add` dropped: the screen may be about to draw it for the last time. */
  let dropped: PreparedFrame[] = [];
  let sizeBytes = 0;
  const drop = (key: string) => {
    const frame = frames.get(key);
    if (!frame) return;
    frames.delete(key);
    dropped.push(frame);
    sizeBytes -= pixelsOf(frame).byteLength;
  };
  const free = () => {
    for (const frame of dropped) freeBytes(pixelsOf(frame));
    dropped = [];
  };
  return {
    get: (key) => frames.get(key),
    add(key, frame, distanceOf) {
      free();
      drop(key);
      frames.set(key, frame);
      sizeBytes += pixelsOf(frame).byteLength;
      if (sizeBytes <= maxBytes) return;
      const farthest = [...frames.keys()]
        .map((kept) => ({ kept, distance: distanceOf(kept) }))
        .sort((a, b) => b.distance - a.distance);
      for (const { kept } of farthest) {
        // The seen frame stays, however large it is.
        if (sizeBytes <= maxBytes || frames.size === 1) break;
        drop(kept);
      }
    },
    clear() {
      for (const key of [...frames.keys()]) drop(key);
      free();
    },
    get sizeBytes() {
      return sizeBytes;
    },
  };
}
