import { chunkBytes } from "../../../../shared/api/resumable.ts";

/** The first chunk: nothing is known of the line yet. */
export const FIRST_CHUNK_BYTES = 1024 * 1024;
const MIN_BYTES = 256 * 1024;
/** A chunk that is cut off is sent again, so it holds what the line carries in about this time. */
const CHUNK_MS = 1_500;

/** The next chunk's size after one of `bytes` took `tookMs`. */
export function nextChunkBytes(bytes: number, tookMs: number): number {
  const carried = (bytes / Math.max(tookMs, 1)) * CHUNK_MS;
  // Doubled at most, so that one lucky chunk does not make a line look fast.
  const wanted = Math.min(carried, 2 * bytes, chunkBytes);
  return Math.max(MIN_BYTES, Math.round(wanted / MIN_BYTES) * MIN_BYTES);
}

/** The next chunk's size after one was cut off. */
export function chunkBytesAfterCut(bytes: number): number {
  return Math.max(MIN_BYTES, bytes / 2);
}
