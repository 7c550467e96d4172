import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** A batch this large compresses well and still inflates in a fraction of a millisecond. */
const BATCH_BYTES = 256 * 1024;
const MAX_OPEN_BYTES = 16 * 1024 * 1024;

/** The place of an instance's DICOM JSON: bytes of an inflated batch. */
export interface MetadataRef {
  batch: number;
  offset: number;
  length: number;
}

/** Keeps the DICOM JSON of many instances in little memory: batches compress about 100 : 1. */
export class MetadataStore {
  readonly #batches: Uint8Array[] = [];
  /** Inflated batches by number, the least recently used first. */
  readonly #open = new Map<number, Uint8Array>();
  #pending: Uint8Array = new Uint8Array(BATCH_BYTES);
  #filled = 0;
  #openBytes = 0;
  #totalBytes = 0;
  #compressedBytes = 0;

  /** Bytes of the JSON that was added. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Bytes in memory: the compressed batches and the batch that is being filled. */
  get heldBytes(): number {
    return this.#compressedBytes + this.#filled;
  }

  /** Adds a copy of the JSON, which is UTF-8. */
  add(json: Uint8Array): MetadataRef {
    const { length } = json;
    if (this.#filled + length > this.#pending.length) this.#closeBatch(length);
    const offset = this.#filled;
    this.#pending.set(json, offset);
    this.#filled += length;
    this.#totalBytes += length;
    return { batch: this.#batches.length, offset, length };
  }

  /** The JSON as UTF-8. The view is valid until more is added. */
  read({ batch, offset, length }: MetadataRef): Uint8Array {
    const bytes = batch === this.#batches.length ? this.#pending : this.#inflated(batch);
    return bytes.subarray(offset, offset + length);
  }

  #closeBatch(nextBytes: number): void {
    if (this.#filled > 0) {
      const batch = zstdCompressSync(this.#pending.subarray(0, this.#filled));
      this.#batches.push(batch);
      this.#compressedBytes += batch.length;
    }
    if (this.#pending.length !== BATCH_BYTES || nextBytes > BATCH_BYTES) {
      this.#pending = new Uint8Array(Math.max(BATCH_BYTES, nextBytes));
    }
    this.#filled = 0;
  }

  #inflated(batch: number): Uint8Array {
    const opened = this.#open.get(batch);
    if (opened) {
      this.#open.delete(batch);
      this.#open.set(batch, opened);
      return opened;
    }
    const compressed = this.#batches[batch];
    if (!compressed) throw new RangeError("no such batch");
    const bytes = zstdDecompressSync(compressed);
    for (const [oldest, { length }] of this.#open) {
      if (this.#openBytes + bytes.length <= MAX_OPEN_BYTES) break;
      this.#open.delete(oldest);
      this.#openBytes -= length;
    }
    this.#open.set(batch, bytes);
    this.#openBytes += bytes.length;
    return bytes;
  }
}
