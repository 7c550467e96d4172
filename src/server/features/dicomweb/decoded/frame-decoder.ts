import type { ManifestInstance } from "../../../archive/manifest.ts";
import { inPieces, piecesOf } from "../../../archive/pieces.ts";

/** Samples of native pixel data (PS3.5 §8.2). */
export interface NativePixels {
  /** Little-endian, the colours of a pixel side by side. */
  bytes: Uint8Array;
  /** What the colours are. */
  photometricInterpretation: string;
}

/** A decoded frame. Disposal removes its file, if it has one. */
export interface NativeFrame extends Omit<NativePixels, "bytes">, AsyncDisposable {
  /** As in {@link NativePixels}: in memory or, if they are many, in a file. */
  bytes: Uint8Array | Blob;
  sizeBytes: number;
}

/** Small pieces of the frame: the server sees how slowly a client takes them, and can stop between two of them. */
export async function* framePieces({ bytes }: Pick<NativeFrame, "bytes">): AsyncGenerator<Uint8Array> {
  for await (const piece of piecesOf(bytes)) yield* inPieces(piece);
}

export interface FrameToDecode {
  instance: ManifestInstance;
  /** Counts from 0. */
  frameIndex: number;
  /** Whether the samples must have the colours, and lie, as the data set says; otherwise they are as the codec returns them. */
  asDescribed: boolean;
}

/** Decodes encapsulated frames in a process of its own. */
export interface FrameDecoder {
  /**
   * Returns undefined if nothing here can decode the frame, or if it is too large.
   * @throws {AppError} 503 with Retry-After if too much else is decoded; the reason of `signal`
   */
  decode(frame: FrameToDecode, signal: AbortSignal): Promise<NativeFrame | undefined>;
}

/** A frame can't be decoded, or not as those before it in an answer that began. */
export class NotDecoded extends Error {
  override name = "NotDecoded";
}
