const BLOCK_BYTES = 1024 * 1024;

/**
 * Tells two instances apart where their CRC-32 is equal: the XXH3 of each MiB, chained, as 16 hex digits. It does not
 * resist an attacker who makes two files with one hash. SHA-256 would, and would cost an upload a fifth of its time.
 */
export class ContentHash {
  #hash = 0n;
  #block: Uint8Array | undefined;
  #filled = 0;

  update(bytes: Uint8Array): this {
    for (let done = 0; done < bytes.length; ) {
      const part = bytes.subarray(done, done + BLOCK_BYTES - this.#filled);
      done += part.length;
      // Whole blocks are hashed in place.
      if (part.length === BLOCK_BYTES) this.#add(part);
      else this.#collect(part);
    }
    return this;
  }

  digest(): string {
    if (this.#block && this.#filled > 0) this.#add(this.#block.subarray(0, this.#filled));
    this.#filled = 0;
    return this.#hash.toString(16).padStart(16, "0");
  }

  #collect(part: Uint8Array): void {
    this.#block ??= new Uint8Array(BLOCK_BYTES);
    this.#block.set(part, this.#filled);
    this.#filled += part.length;
    if (this.#filled < BLOCK_BYTES) return;
    this.#add(this.#block);
    this.#filled = 0;
  }

  #add(block: Uint8Array): void {
    this.#hash = Bun.hash.xxHash3(block, this.#hash);
  }
}

/** The hash of bytes that are all in memory. */
export function contentHashOf(bytes: Uint8Array): string {
  let hash = 0n;
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    hash = Bun.hash.xxHash3(bytes.subarray(at, at + BLOCK_BYTES), hash);
  }
  return hash.toString(16).padStart(16, "0");
}

/** What identifies the bytes of an instance. Instances that release 0.1 stored have no hash. */
export interface Content {
  sizeBytes: number;
  crc32: number;
  contentHash?: string | undefined;
}

export function isSameContent(a: Content, b: Content): boolean {
  if (a.sizeBytes !== b.sizeBytes || a.crc32 !== b.crc32) return false;
  return a.contentHash === undefined || b.contentHash === undefined || a.contentHash === b.contentHash;
}
