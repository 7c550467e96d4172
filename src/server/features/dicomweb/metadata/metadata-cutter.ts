import { openMetadataJson } from "../../../archive/metadata-json.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import type { StoredMetadata } from "../dicomweb.catalogue.ts";

/** Cuts ranges out of inflated metadata, each behind the one before; opens the metadata for the first. */
export class MetadataCutter implements AsyncDisposable {
  readonly #stored: StoredMetadata | undefined;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #held: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(stored: StoredMetadata | undefined) {
    this.#stored = stored;
  }

  /** Undefined if the metadata end before. */
  async cut({ offset, length }: ByteRange): Promise<Uint8Array | undefined> {
    if (!this.#stored) return undefined;
    this.#pieces ??= (await openMetadataJson(this.#stored))[Symbol.asyncIterator]();
    const passed = Math.min(this.#held.length, offset - this.#start);
    this.#start += passed;
    this.#held = this.#held.subarray(passed);
    const pieces: Buffer[] = this.#held.length > 0 ? [this.#held] : [];
    let heldBytes = this.#held.length;
    while (this.#start + heldBytes < offset + length) {
      const { done, value } = await this.#pieces.next();
      if (done) return undefined;
      if (heldBytes === 0 && this.#start + value.length <= offset) {
        this.#start += value.length;
        continue;
      }
      pieces.push(Buffer.from(value.buffer, value.byteOffset, value.length));
      heldBytes += value.length;
    }
    this.#held = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
    return this.#held.subarray(offset - this.#start, offset - this.#start + length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pieces?.return?.();
  }
}
