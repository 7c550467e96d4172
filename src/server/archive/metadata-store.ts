import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { freeBytes } from "../runtime/free-bytes.ts";
import { newBuffer } from "../runtime/new-buffer.ts";

/** A batch this large compresses well and still inflates in a fraction of a millisecond. */
const BATCH_BYTES = 256 * 1024;
/** The first buffer of the first batch, which is all that most uploads fill. */
const FIRST_BYTES = 32 * 1024;
const MAX_OPEN_BYTES = 16 * 1024 * 1024;

/** The place of an instance's DICOM JSON: bytes of an inflated batch. */
export interface MetadataRef {
  batch: number;
  offset: number;
  length: number;
}

/** Keeps the DICOM JSON of many instances in little memory: batches compress about 100 : 1. */
export class MetadataStore {
  readonly #batches: { compressed: Uint8Array; instances: number }[] = [];
  /** Inflated batches by number, the least recently used first, and how many of their instances were not read yet. */
  readonly #open = new Map<number, { bytes: Uint8Array; unread: number }>();
  #pending = newBuffer(FIRST_BYTES);
  #filled = 0;
  #instances = 0;
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
    if (this.#filled + length > BATCH_BYTES) this.#closeBatch(length);
    else if (this.#filled + length > this.#pending.length) this.#growBatch(length);
    const offset = this.#filled;
    this.#pending.set(json, offset);
    this.#filled += length;
    this.#instances++;
    this.#totalBytes += length;
    return { batch: this.#batches.length, offset, length };
  }

  /** The JSON as UTF-8. The view is valid until more is read or added. */
  read({ batch, offset, length }: MetadataRef): Uint8Array {
    const bytes = batch === this.#batches.length ? this.#pending : this.#inflated(batch);
    return bytes.subarray(offset, offset + length);
  }

  #growBatch(nextBytes: number): void {
    const wantedBytes = Math.max(2 * this.#pending.length, this.#filled + nextBytes);
    const larger = newBuffer(Math.min(BATCH_BYTES, wantedBytes));
    larger.set(this.#pending.subarray(0, this.#filled));
    this.#pending = larger;
  }

  #closeBatch(nextBytes: number): void {
    if (this.#filled > 0) {
      const compressed = zstdCompressSync(this.#pending.subarray(0, this.#filled));
      this.#batches.push({ compressed, instances: this.#instances });
      this.#compressedBytes += compressed.length;
    }
    if (this.#pending.length !== BATCH_BYTES || nextBytes > BATCH_BYTES) {
      this.#pending = newBuffer(Math.max(BATCH_BYTES, nextBytes));
    }
    this.#filled = this.#instances = 0;
  }

  #inflated(batch: number): Uint8Array {
    const opened = this.#open.get(batch) ?? this.#inflate(batch);
    opened.unread--;
    this.#open.delete(batch);
    this.#open.set(batch, opened);
    return opened.bytes;
  }

  #inflate(batch: number): { bytes: Uint8Array; unread: number } {
    const kept = this.#batches[batch];
    if (!kept) throw new RangeError("no such batch");
    const bytes = zstdDecompressSync(kept.compressed);
    // As a rule each instance is read once, so a batch that was read whole goes first.
    for (const [other, { bytes: old, unread }] of this.#open)
      if (unread <= 0 || this.#openBytes + bytes.length > MAX_OPEN_BYTES) {
        this.#open.delete(other);
        this.#openBytes -= old.length;
        freeBytes(old);
      }
    this.#openBytes += bytes.length;
    return { bytes, unread: kept.instances };
  }
}
