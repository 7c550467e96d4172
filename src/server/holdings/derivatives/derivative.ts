import type { DerivedInstance } from "./derivative-index.ts";

/** The copy of a series. What can't be read is `undefined`; if its bytes are wrong, the copy is made again. */
export interface Derivative {
  /** Changes with the copy. */
  version: string;
  instances: ReadonlyMap<string, DerivedInstance>;
  /** Reads a frame and checks it. */
  readFrame(sopInstanceUID: string, frameIndex: number): Promise<ReadFrame | undefined>;
}

export interface ReadFrame {
  bytes: Uint8Array;
  prefixLengths: readonly number[];
}

/** Finds the copy of a series by its manifest. */
export type FindDerivative = (manifestId: string) => Promise<Derivative | undefined>;
