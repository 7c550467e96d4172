import type { PictureFailure } from "../../../../shared/pixels/no-picture.ts";
import type { Window } from "../../../../shared/pixels/pixel-module.ts";
import type { NativePixels } from "../../dicomweb/decoded/frame-decoder.ts";

/** A part of an image, in its pixels from the upper left corner. A negative side is mirrored; one left out reaches to the edge. */
export interface Region {
  left: number;
  top: number;
  width: number | undefined;
  height: number | undefined;
  /** All four are fractions of the image's sides, instead of pixels. */
  isFraction?: boolean;
}

/** How a picture is drawn, if not as the small picture of a list. */
export interface Drawing {
  type: "jpeg" | "png" | "gif" | "webp";
  /** 1 to 100; not for PNG and GIF. */
  quality: number;
  /** The box that the picture fits into, in pixels, at most {@link MAX_SIDE} each; it is enlarged if the box says so. */
  box: { width: number; height: number; enlarges: boolean };
  /** What is drawn of the image, if not all of it. */
  region?: Region;
  /** Replaces the window and the VOI LUT of the instance. */
  window?: Window;
}

/** The longest side of any picture, which bounds the memory that drawing takes. */
export const MAX_SIDE = 2_048;

/** To the process that decodes: one frame with what its instance says about it. */
export interface FrameRequest {
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

/** For a picture of the frame. */
export interface PictureRequest extends FrameRequest {
  drawing?: Drawing;
}

/** For its samples. */
export interface NativeRequest extends FrameRequest {
  native: {
    /** Whether they are in the colours that the instance describes, or in those of the codec. */
    asDescribed: boolean;
    /** Where they are written if they are many. */
    path: string;
  };
}

/** The samples of a frame; those that are not sent are in the file that the request names. */
export interface AnsweredNative extends Omit<NativePixels, "bytes"> {
  sizeBytes: number;
  sent: Uint8Array | undefined;
}

/** `detail` is for the log: it names no person, UID or path. */
export interface NothingDecoded {
  ok: false;
  failure: PictureFailure;
  detail: string;
}

export type PictureReply = { ok: true; image: Uint8Array } | NothingDecoded;

export type NativeReply = { ok: true; frame: AnsweredNative } | NothingDecoded;

/** The media type of a picture. */
export const PICTURE_TYPE = "image/webp";
