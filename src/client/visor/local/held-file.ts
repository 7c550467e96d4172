/** A Blob that has its bytes in memory, and can be read in parts like any other. */
export class HeldFile extends Blob {
  readonly #bytes: ArrayBuffer;

  constructor(bytes: ArrayBuffer) {
    super();
    this.#bytes = bytes;
  }

  override get size(): number {
    return this.#bytes.byteLength;
  }

  override slice(start?: number, end?: number): Blob {
    return new HeldFile(this.#bytes.slice(start ?? 0, end));
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#bytes;
  }

  /** Fewer bytes at the end of the file. */
  read(offset: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes).subarray(offset, offset + length);
  }
}
