import type { PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";

/** Decoded frames up to a number of bytes. What is farthest from the seen frame leaves first. */
export interface FrameCache {
  get(key: string): PreparedFrame | undefined;
  /**
   * Keeps a frame, unless nearer ones leave it no room.
   * @param distanceOf how far a kept frame is from the seen one
   */
  add(key: string, frame: PreparedFrame, distanceOf: (key: string) => number): void;
  clear(): void;
  readonly sizeBytes: number;
}

export function pixelsOf(frame: PreparedFrame): Uint8Array | Uint16Array {
  return frame.kind === "grey" ? frame.indexes : frame.bytes;
}

/** @param onDropped takes each frame that is no longer kept */
export function createFrameCache(maxBytes: number, onDropped: (frame: PreparedFrame) => void): FrameCache {
  const frames = new Map<string, PreparedFrame>();
  let sizeBytes = 0;
  const drop = (key: string) => {
    const frame = frames.get(key);
    if (!frame) return;
    frames.delete(key);
    sizeBytes -= pixelsOf(frame).byteLength;
    onDropped(frame);
  };
  return {
    get: (key) => frames.get(key),
    add(key, frame, distanceOf) {
      drop(key);
      frames.set(key, frame);
      sizeBytes += pixelsOf(frame).byteLength;
      if (sizeBytes <= maxBytes) return;
      const farthest = [...frames.keys()]
        .map((kept) => ({ kept, distance: distanceOf(kept) }))
        // Of those equally far the new one leaves, or two would take turns without end.
        .sort((a, b) => b.distance - a.distance || Number(b.kept === key) - Number(a.kept === key));
      for (const { kept } of farthest) {
        // The seen frame stays, however large it is.
        if (sizeBytes <= maxBytes || frames.size === 1) break;
        drop(kept);
      }
    },
    clear() {
      frames.clear();
      sizeBytes = 0;
    },
    get sizeBytes() {
      return sizeBytes;
    },
  };
}
