import { Inflate as InflateStream, Unzlib } from "fflate";
import type { ByteSource } from "../../../shared/dicom/reading/instance.ts";
import type { Inflate } from "../../../shared/dicom/reading/parse-file.ts";

/** Reads a part of a file at once, as only workers can. */
export type ReadSync = (blob: Blob, offset: number, length: number) => Uint8Array<ArrayBuffer>;

const AHEAD_BYTES = 128 * 1024;
/** A deflated byte becomes at most 1,032, so a step brings at most 8 MB. */
const STEP_BYTES = 8 * 1024;
const FIRST_BYTES = 256 * 1024;

/** Reads files of this device. Short reads that follow each other share one read of the device. */
export class FileWindow {
  #blob: Blob | undefined;
  #start = 0;
  #held: Uint8Array<ArrayBuffer> = new Uint8Array();

  constructor(readonly readSync: ReadSync) {}

  /** Fewer bytes at the end of the file. */
  read(blob: Blob, offset: number, length: number): Uint8Array<ArrayBuffer> {
    const at = offset - this.#start;
    if (blob === this.#blob && at >= 0 && at + length <= this.#held.length) {
      return this.#held.subarray(at, at + length);
    }
    const available = Math.max(0, Math.min(length, blob.size - offset));
    if (available === 0) return new Uint8Array();
    const ahead = Math.min(Math.max(available, AHEAD_BYTES), blob.size - offset);
    this.#held = this.readSync(blob, offset, ahead);
    this.#blob = blob;
    this.#start = offset;
    return this.#held.subarray(0, available);
  }

  /** A part of a file as a file of its own. */
  part(blob: Blob, start: number, sizeBytes: number): ByteSource {
    return {
      sizeBytes,
      read: (offset, length) =>
        this.read(blob, start + offset, Math.max(0, Math.min(length, sizeBytes - offset))),
    };
  }
}

/**
 * What a deflated entry holds, inflated only as far as it is read, and never beyond the size that its directory names.
 * @param spend is told how many bytes were inflated; what it throws ends the reading
 */
export function inflatedSource(
  deflated: ByteSource,
  sizeBytes: number,
  spend: (bytes: number) => void,
): ByteSource {
  let held = new Uint8Array(Math.min(sizeBytes, FIRST_BYTES));
  let filled = 0;
  let at = 0;
  const stream = new InflateStream((chunk) => {
    const taken = chunk.subarray(0, sizeBytes - filled);
    if (filled + taken.length > held.length) {
      const wider = new Uint8Array(Math.min(sizeBytes, Math.max(held.length * 2, filled + taken.length)));
      wider.set(held.subarray(0, filled));
      held = wider;
    }
    held.set(taken, filled);
    filled += taken.length;
  });
  const inflateUntil = (end: number) => {
    const before = filled;
    while (filled < end && at < deflated.sizeBytes) {
      const step = deflated.read(at, STEP_BYTES);
      if (step.length === 0) break;
      at += step.length;
      try {
        stream.push(step.slice(), at >= deflated.sizeBytes);
      } catch (error) {
        if (!isFlateError(error)) throw error;
        // What follows is no deflate data; what came before it stays.
        at = deflated.sizeBytes;
      }
    }
    spend(filled - before);
  };
  return {
    sizeBytes,
    read(offset, length) {
      const end = Math.min(sizeBytes, offset + length);
      if (end > filled) inflateUntil(end);
      return held.subarray(offset, Math.min(end, filled));
    },
  };
}

/** Inflates a deflated data set. */
export const inflateDataSet: Inflate = (deflated, { isWrapped, maxBytes }) => {
  const parts: Uint8Array[] = [];
  let length = 0;
  const stream = new (isWrapped ? Unzlib : InflateStream)((chunk: Uint8Array) => {
    parts.push(chunk);
    length += chunk.length;
  });
  try {
    for (let at = 0; at < deflated.length; at += STEP_BYTES) {
      stream.push(deflated.slice(at, at + STEP_BYTES), at + STEP_BYTES >= deflated.length);
      if (length > maxBytes) return "too_large";
    }
  } catch (error) {
    if (!isFlateError(error)) throw error;
    return "damaged";
  }
  return joined(parts, length);
};

export function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** fflate marks its errors with a code instead of a class. */
function isFlateError(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}
