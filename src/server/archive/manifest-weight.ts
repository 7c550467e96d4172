import { ManifestTooLarge } from "./manifest.errors.ts";

/**
 * What an index may be as JSON, and about what it may take in memory once it is parsed: 50,000 plain slices, or
 * 400,000 frames or fragments.
 */
export const MAX_INDEX_BYTES = 24 * 1024 * 1024;
const MAX_WEIGHT_BYTES = 48 * 1024 * 1024;

/** Measured: an array of two numbers takes 52 bytes, an object of an instance 260 beside its text. */
const ARRAY_BYTES = 52;
const OBJECT_BYTES = 260;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * About what the JSON of an index takes in memory, by its brackets: 11 bytes of it can be a frame.
 * @throws {ManifestTooLarge}
 */
export function assertIndexWeight(json: Uint8Array): number {
  let weightBytes = json.length;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === OPEN_ARRAY) weightBytes += ARRAY_BYTES;
    else if (byte === OPEN_OBJECT) weightBytes += OBJECT_BYTES;
  }
  if (weightBytes > MAX_WEIGHT_BYTES) throw new ManifestTooLarge(`an index of about ${weightBytes} bytes`);
  return weightBytes;
}
