import { newBuffer } from "./new-buffer.ts";

/** Kept on both sides of what is read, for the head and the end of a multipart body. */
const MARGIN_BYTES = 1024;
/** Free buffers that are kept; reads that wait for the disk at the same moment make more. */
const MAX_FREE = 4;

/** Bytes in a buffer that others use after {@link release}. Without it, the buffer is collected as any other. */
export interface LentBytes {
  readonly bytes: Uint8Array;
  /** The bytes between `head` and `end`, without a copy if the buffer has room: it overwrites what surrounds them. */
  between(head: Uint8Array, end: Uint8Array): Uint8Array;
  release(): void;
}

/** Bytes that belong to their reader alone. */
export function ownBytes(bytes: Uint8Array): LentBytes {
  return {
    bytes,
    between: (head, end) => Buffer.concat([head, bytes, end]),
    release: () => {},
  };
}

/** Buffers that are used again: the fresh pages of a new one cost more than reading and checking what fills it. */
export class LentBuffers {
  readonly #free: Uint8Array[] = [];

  /** @param maxBytes the most that is lent at once */
  constructor(private readonly maxBytes: number) {}

  /** Lets `fill` write `length` bytes, and lends those of its `range`. A failure gives the buffer back. */
  async lend(
    length: number,
    range: { offset: number; length: number },
    fill: (bytes: Uint8Array) => Promise<void>,
  ): Promise<LentBytes> {
    if (length > this.maxBytes) throw new RangeError("more than a buffer holds");
    const buffer = this.#free.pop() ?? newBuffer(this.maxBytes + 2 * MARGIN_BYTES);
    let isLent = true;
    const release = () => {
      if (isLent && this.#free.length < MAX_FREE) this.#free.push(buffer);
      isLent = false;
    };
    try {
      await fill(buffer.subarray(MARGIN_BYTES, MARGIN_BYTES + length));
    } catch (error) {
      release();
      throw error;
    }
    const start = MARGIN_BYTES + range.offset;
    const bytes = buffer.subarray(start, start + range.length);
    return { bytes, between: (head, end) => surround(buffer, bytes, head, end), release };
  }
}

/** Writes `head` and `end` around `bytes`, which lie within `buffer`. */
function surround(buffer: Uint8Array, bytes: Uint8Array, head: Uint8Array, end: Uint8Array): Uint8Array {
  if (Math.max(head.length, end.length) > MARGIN_BYTES) return Buffer.concat([head, bytes, end]);
  const start = bytes.byteOffset - buffer.byteOffset - head.length;
  const behind = start + head.length + bytes.length;
  buffer.set(head, start);
  buffer.set(end, behind);
  return buffer.subarray(start, behind + end.length);
}
