import { readSync } from "node:fs";
import type { ByteSource } from "../../shared/dicom/reading/instance.ts";

const SCRATCH_BYTES = 64 * 1024;

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

/** More was read of a source than it may take. */
export class ReadsTooMuch extends Error {
  override name = "ReadsTooMuch";
}

/** The same source, which throws {@link ReadsTooMuch} once more than `maxBytes` are read in all, however often. */
export function boundedSource(source: ByteSource, maxBytes: number): ByteSource {
  let leftBytes = maxBytes;
  return {
    sizeBytes: source.sizeBytes,
    read(offset, length) {
      const bytes = source.read(offset, length);
      leftBytes -= bytes.length;
      if (leftBytes < 0) throw new ReadsTooMuch();
      return bytes;
    },
  };
}
