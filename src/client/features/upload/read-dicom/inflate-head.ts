import { Inflate } from "fflate";

/** A byte inflates to at most 1,032 bytes, so at most 2 MB beyond `maxBytes` are held. */
const STEP_BYTES = 2 * 1024;

/**
 * Inflates raw deflate data up to `maxBytes`. Data that are cut short give the bytes they hold. Returns undefined if the
 * input is not deflate data.
 */
export function inflateHead(deflated: Uint8Array, maxBytes: number): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  let length = 0;
  const inflate = new Inflate((chunk) => {
    parts.push(chunk);
    length += chunk.length;
  });
  try {
    for (let at = 0; at < deflated.length && length < maxBytes; at += STEP_BYTES) {
      inflate.push(deflated.subarray(at, at + STEP_BYTES));
    }
  } catch (error) {
    if (!isFlateError(error)) throw error;
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
