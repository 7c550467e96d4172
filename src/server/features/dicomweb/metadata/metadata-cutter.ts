import { inflatedMetadata } from "../../../archive/manifest-codec.ts";
import { piecesOf } from "../../../archive/pieces.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import type { StoredMetadata } from "../dicomweb.catalogue.ts";

/** Cuts ranges out of inflated metadata, each behind the one before; opens the metadata for the first. */
export class MetadataCutter implements AsyncDisposable {
  readonly #stored: StoredMetadata | undefined;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #held = Buffer.alloc(0);
  #start = 0;

  constructor(stored: StoredMetadata | undefined) {
    this.#stored = stored;
  }

  /** Undefined if the metadata end before. */
  async cut({ offset, length }: ByteRange): Promise<Uint8Array | undefined> {
    if (!this.#stored) return undefined;
    this.#pieces ??= inflatedMetadata(piecesOf(await this.#stored.open()))[Symbol.asyncIterator]();
    while (this.#start + this.#held.length < offset + length) {
      const { done, value } = await this.#pieces.next();
      if (done) return undefined;
      const drop = Math.min(this.#held.length, offset - this.#start);
      this.#held = Buffer.concat([this.#held.subarray(drop), value]);
      this.#start += drop;
    }
    return this.#held.subarray(offset - this.#start, offset - this.#start + length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pieces?.return?.();
  }
}
