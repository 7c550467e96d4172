import { chunkBytes as largestChunkBytes } from "../../../../shared/api/resumable.ts";
import type { ChunkSums } from "./chunk-sums.ts";

interface Chunk {
  offset: number;
  length: number;
  sum: Promise<string>;
}

/**
 * Sums the chunks of a file in their order. A line that carries the largest chunks would wait for the sum of each, so that of the next
 * one is taken while one is sent. On slower lines the next chunk's size is not known yet, and the sum costs no time beside the sending.
 */
export class SumsAhead {
  #next: Chunk | undefined;

  constructor(
    private readonly sums: Pick<ChunkSums, "sum">,
    private readonly file: Blob,
  ) {}

  /** The SHA-256 of a chunk in base64. Rejects if the file is gone. */
  sum(offset: number, length: number): Promise<string> {
    const ready = this.#next;
    const isReady = ready?.offset === offset && ready.length === length;
    const sum = isReady ? ready.sum : this.#begin(offset, length);
    const end = offset + length;
    const hasNext = length === largestChunkBytes && end < this.file.size;
    this.#next = hasNext ? { offset: end, length, sum: this.#begin(end, length) } : undefined;
    return sum;
  }

  #begin(offset: number, length: number): Promise<string> {
    const sum = this.sums.sum(this.file.slice(offset, offset + length));
    sum.catch(() => {}); // the failure is thrown where the sum is taken
    return sum;
  }
}
