import { chunkBytes } from "../../../../shared/api/resumable.ts";

/** The first chunk: nothing is known of the line yet. nginx lets just as much pass unless it is told otherwise. */
const FIRST_BYTES = 1024 * 1024;
const MIN_BYTES = 256 * 1024;
/** A chunk holds what the line carries in about this time, unless the line breaks often. */
const CHUNK_MS = 1_500;
/** Shorter chunks would wait for answers more than they save. */
const MIN_CHUNK_MS = 500;
/** A chunk that is cut off is sent again, half of it on average, so chunks are short beside the time between two cuts. */
const SHARE_OF_TIME_BETWEEN_CUTS = 0.03;

/** Fits the chunks of one upload to its line. Times are milliseconds of one clock. */
export class ChunkSize {
  #bytes = FIRST_BYTES;
  /** The most that a proxy on the way lets pass. */
  #mostBytes = chunkBytes;
  /** When the line began to carry: at the start, and after each cut. */
  #carriesSince: number;
  /** How long the line lasted before its last cut. */
  #lastedMs = Number.POSITIVE_INFINITY;

  constructor(now: number) {
    this.#carriesSince = now;
  }

  /** Of the next chunk. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Tells that a chunk of `bytes` arrived, which took `tookMs`. */
  arrived(bytes: number, tookMs: number, now: number): void {
    const carried = (bytes / Math.max(tookMs, 1)) * this.#chunkMs(now);
    // Doubled at most, so that one lucky chunk does not make a line look fast.
    const wanted = Math.min(carried, 2 * bytes, this.#mostBytes);
    this.#bytes = Math.max(MIN_BYTES, Math.round(wanted / MIN_BYTES) * MIN_BYTES);
  }

  /** Tells that a chunk was cut off. */
  wasCut(now: number): void {
    this.#lastedMs = now - this.#carriesSince;
    this.#carriesSince = now;
    this.#bytes = Math.max(MIN_BYTES, this.#bytes / 2);
  }

  /** Tells that a proxy found the chunk too large. Returns whether a smaller one is worth a try. */
  wasTooLarge(): boolean {
    if (this.#bytes <= MIN_BYTES) return false;
    this.#mostBytes = Math.max(MIN_BYTES, Math.floor(this.#bytes / 2 / MIN_BYTES) * MIN_BYTES);
    this.#bytes = this.#mostBytes;
    return true;
  }

  #chunkMs(now: number): number {
    const lastsMs = Math.max(this.#lastedMs, now - this.#carriesSince);
    return Math.max(MIN_CHUNK_MS, Math.min(CHUNK_MS, lastsMs * SHARE_OF_TIME_BETWEEN_CUTS));
  }
}
