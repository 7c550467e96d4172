import { readSync } from "node:fs";
import type { ByteSource } from "./instance.ts";

const SCRATCH_BYTES = 64 * 1024;

/** A file that is in memory. Reads copy nothing. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  };
}

/**
 * `length` bytes from `offset` of an open file, read piece by piece. The descriptor stays the caller's.
 * Short reads share one buffer, which is why a view is valid until the next read only.
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
 * A file made of two parts: everything before `boundary` as `head` has it, everything from there on `tail`.
 * A read does not cross the boundary: it ends there.
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
