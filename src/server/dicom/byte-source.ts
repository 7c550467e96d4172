import { readSync } from "node:fs";
import type { ByteSource } from "./instance.ts";

const SCRATCH_BYTES = 64 * 1024;

/** A file in memory. Reads copy nothing. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  };
}

/**
 * `length` bytes from `offset` of an open file, read piece by piece. The caller closes the descriptor. Short reads share
 * one buffer, so a view is valid only until the next read.
 */
export function fileSource(fd: number, offset: number, length: number): ByteSource {
  const scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
  return {
    sizeBytes: length,
    read(from, wanted) {
      const available = Math.max(0, Math.min(wanted, length - from));
      const target = available <= SCRATCH_BYTES ? scratch : Buffer.allocUnsafe(available);
      let filled = 0;
      while (filled < available) {
        const read = readSync(fd, target, filled, available - filled, offset + from + filled);
        if (read === 0) break;
        filled += read;
      }
      return target.subarray(0, filled);
    },
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
