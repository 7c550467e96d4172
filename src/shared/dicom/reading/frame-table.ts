/**
 * Where the frames of an instance are, as byte offsets from the first byte of its file.
 *
 * - `none`: no pixel data.
 * - `native`: `frameCount` frames of `frameBytes` each, one after the other from `offset`. `frameBits` is present only
 *   if frames do not end on bytes (BitsAllocated 1): frame `i` then begins at bit `i * frameBits` from `offset`.
 * - `encapsulated`: for each frame its fragments as `[offset, length]` (PS3.5 §A.4).
 *
 * `deflated` is true if offsets count from the first byte of the file with its data set inflated (Deflated Explicit VR
 * Little Endian): such an instance must be inflated whole before a frame can be cut.
 */
export type FrameTable =
  | { kind: "none" }
  | {
      kind: "native";
      frameCount: number;
      offset: number;
      frameBytes: number;
      frameBits?: number;
      deflated?: boolean;
    }
  | { kind: "encapsulated"; frameCount: number; frames: [offset: number, length: number][][] };

export function frameCountOf(frames: FrameTable): number {
  return frames.kind === "none" ? 0 : frames.frameCount;
}
