import type { PixelModule } from "../../../../shared/pixels/pixel-module.ts";

/** What the samples of an instance are, as its header says. */
export type SampleFormat = Pick<
  PixelModule,
  | "rows"
  | "columns"
  | "samplesPerPixel"
  | "photometricInterpretation"
  | "bitsAllocated"
  | "bitsStored"
  | "highBit"
  | "isSigned"
  | "isPlanar"
  | "pixelDataAs"
>;

/** Bytes for another process: as they are or, if they are many, in a file. */
export type SentBytes = Uint8Array | { path: string };

export type EncodeRequest =
  /** `header`: the instance's file up to its first byte of pixel data. */
  | { kind: "describe"; header: SentBytes }
  /** `frame`: one frame's pixel data; of an encapsulated one its joined fragments. */
  | { kind: "encode"; frame: SentBytes; format: SampleFormat; transferSyntaxUID: string };

/** A code stream that was decoded again and gave the same samples. */
export interface ProvenFrame {
  codeStream: Uint8Array;
  /** The length of the prefix that ends with each resolution. */
  prefixLengths: number[];
}

/** `reason` is for the log: it names no person, UID or path. */
export type EncodeReply =
  | { ok: true; format: SampleFormat }
  | ({ ok: true } & ProvenFrame)
  | { ok: false; reason: string };
