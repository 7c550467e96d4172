import { Inflate } from "fflate";

/** A byte inflates to at most 1,032 bytes, so at most 2 MB beyond `maxBytes` are held. */
const STEP_BYTES = 2 * 1024;
const MAX_STEP_OUTPUT = STEP_BYTES * 1_032;

/**
 * Inflates raw deflate data up to `maxBytes`. Data that are cut short give the bytes they hold. Returns undefined if the
 * input is not deflate data. `onWork` is told all bytes that were read and made, those of a failure, too.
 */
export function inflateHead(
  deflated: Uint8Array,
  maxBytes: number,
  onWork?: (bytes: number) => void,
): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  let length = 0;
  const inflate = new Inflate((chunk) => {
    parts.push(chunk);
    length += chunk.length;
    onWork?.(chunk.length);
  });
  try {
    for (let at = 0; at < deflated.length && length < maxBytes; at += STEP_BYTES) {
      const step = deflated.subarray(at, at + STEP_BYTES);
      onWork?.(step.length);
      inflate.push(step);
    }
  } catch (error) {
    if (!isFlateError(error)) throw error;
    // What the last step made before it failed is not told.
    onWork?.(MAX_STEP_OUTPUT);
    return undefined;
  }
  return concat(parts, Math.min(length, maxBytes));
}

/** fflate marks its errors with a code instead of a class. */
function isFlateError(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

function concat(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part.subarray(0, length - at), at);
    at = Math.min(length, at + part.length);
  }
  return whole;
}
