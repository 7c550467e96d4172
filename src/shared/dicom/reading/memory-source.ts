import type { ByteSource } from "./instance.ts";

/** A file in memory. Reads copy nothing. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  };
}

/**
 * A file made of two sources: bytes before `boundary` come from `head`, bytes from there on from `tail`. A read that
 * reaches `boundary` ends there.
 */
export function splicedSource(head: ByteSource, boundary: number, tail: Uint8Array): ByteSource {
  return {
    sizeBytes: boundary + tail.length,
    read(offset, length) {
      if (offset < boundary) return head.read(offset, Math.min(length, boundary - offset));
      return tail.subarray(offset - boundary, offset - boundary + length);
    },
  };
}
