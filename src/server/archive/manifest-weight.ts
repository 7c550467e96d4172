import type { FrameTable } from "../../shared/dicom/reading/frame-table.ts";
import { ManifestTooLarge } from "./manifest.errors.ts";

/**
 * The largest index, as JSON and (below) about in memory once it is parsed: 50,000 plain slices, or 400,000 frames or
 * fragments.
 */
export const MAX_INDEX_BYTES = 24 * 1024 * 1024;
const MAX_WEIGHT_BYTES = 48 * 1024 * 1024;
/** The limit for writing is lower, so that a version that counts a little differently can still read the index. */
export const MAX_WRITTEN_WEIGHT_BYTES = 40 * 1024 * 1024;
/** The share of one instance: about 200,000 frames and fragments. */
export const MAX_INSTANCE_WEIGHT_BYTES = 24 * 1024 * 1024;
/** An instance without frames, its UIDs and numbers. */
const INSTANCE_BYTES = 1_000;
/** The text of a fragment, without its array: two numbers. */
const FRAGMENT_TEXT_BYTES = 16;

/** Measured: an array of two numbers takes 52 bytes, the object of an instance 260, both without their text. */
const ARRAY_BYTES = 52;
const OBJECT_BYTES = 260;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Estimates what the JSON of an index takes in memory by its brackets, because 11 bytes of JSON can be a frame.
 * @throws {ManifestTooLarge}
 */
export function assertIndexWeight(json: Uint8Array, maxWeightBytes = MAX_WEIGHT_BYTES): number {
  let weightBytes = json.length;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === OPEN_ARRAY) weightBytes += ARRAY_BYTES;
    else if (byte === OPEN_OBJECT) weightBytes += OBJECT_BYTES;
  }
  if (weightBytes > maxWeightBytes) throw new ManifestTooLarge(`an index of about ${weightBytes} bytes`);
  return weightBytes;
}

/** Estimates what an instance adds to the weight of its series' index. */
export function instanceWeight(frames: FrameTable): number {
  if (frames.kind !== "encapsulated") return INSTANCE_BYTES;
  const fragments = frames.frames.reduce((sum, frame) => sum + frame.length, 0);
  return (
    INSTANCE_BYTES + frames.frames.length * ARRAY_BYTES + fragments * (ARRAY_BYTES + FRAGMENT_TEXT_BYTES)
  );
}
