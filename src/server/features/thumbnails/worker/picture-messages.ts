import type { PictureFailure } from "../../../../shared/pixels/no-picture.ts";

/** To the process that decodes: one frame with what its instance says about it. */
export interface PictureRequest {
  transferSyntaxUID: string;
  /** Counts from 0. */
  frameIndex: number;
  /**
   * The instance's file up to its first byte of pixel data, and the frame (for an encapsulated one, its joined fragments): as bytes
   * or, if large, one after the other in a file.
   */
  source:
    | { kind: "parts"; header: Uint8Array; frame: Uint8Array }
    | { kind: "spooled"; path: string; headerBytes: number };
}

/** The request to a new process before its first frame, so that starting does not count as decoding time. */
export const READY = "ready";

export type PictureReply =
  | { ok: true; image: Uint8Array }
  /** `detail` is for the log: it names no person, UID or path. */
  | { ok: false; failure: PictureFailure; detail: string };

/** The media type of a picture. */
export const PICTURE_TYPE = "image/webp";
