import { closeSync, openSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { readFully } from "../../../archive/file-window.ts";
import { ArrivingVolume } from "./arriving-volume.ts";
import type { GuessedVolume, WorkerRequests } from "./worker-messages.ts";

const READ_BYTES = 256 * 1024;
const READS_PER_TURN = 4;

/**
 * Sums a file while it is written: each chunk by itself, whose sender waits for that, and in the time between the volume that the file
 * may become.
 */
export class ArrivingFileSums implements Disposable {
  readonly #fd: number;
  readonly #buffer = new Uint8Array(READ_BYTES);
  readonly #volume: ArrivingVolume;
  #chunk = new Bun.CryptoHasher("sha256");
  /** Up to here chunks are summed. */
  #chunkOffset = 0;
  /** Up to here the volume is summed. */
  #volumeOffset = 0;
  #isChunkDue = false;
  #summing: Promise<void> | undefined;
  #isClosed = false;

  constructor({ path, volumeId, maxEntries }: WorkerRequests["beginSums"]) {
    this.#fd = openSync(path, "r");
    this.#volume = new ArrivingVolume(volumeId, maxEntries);
  }

  /**
   * Goes on with what is in the file before `end`. Returns the SHA-256 (hex) of the chunk that ends there, if one does.
   * @throws {RangeError} if the file is shorter
   */
  async sum({ end, isChunkEnd }: WorkerRequests["sum"]): Promise<string | undefined> {
    this.#isChunkDue = true;
    while (this.#chunkOffset < end) {
      const bytes = this.#read(this.#chunkOffset, end);
      this.#chunk.update(bytes);
      this.#chunkOffset += bytes.length;
    }
    if (!isChunkEnd) return undefined;
    const sha256 = this.#chunk.digest("hex");
    this.#chunk = new Bun.CryptoHasher("sha256");
    this.#isChunkDue = false;
    this.#summing ??= this.#sumVolume().finally(() => (this.#summing = undefined));
    this.#summing.catch(() => {}); // thrown to whoever asks for the volume
    return sha256;
  }

  /** The volume of the whole file; `undefined` if it can't become one in place. */
  async volume(): Promise<GuessedVolume | undefined> {
    await this.#summing;
    await this.#sumVolume();
    return this.#volume.finish();
  }

  /** Leaves off when the next chunk comes. */
  async #sumVolume(): Promise<void> {
    for (let reads = 1; this.#volumeOffset < this.#chunkOffset && !this.#isChunkDue; reads++) {
      const start = this.#volumeOffset;
      const bytes = this.#read(start, this.#chunkOffset);
      const end = start + bytes.length;
      this.#volume.advance((offset, length) => this.#reread(bytes, start, offset, length), end);
      this.#volumeOffset = end;
      if (reads % READS_PER_TURN > 0) continue;
      await setImmediate();
      if (this.#isClosed) return;
    }
  }

  /** The next bytes before `end`. The view is valid until the next call. */
  #read(offset: number, end: number): Uint8Array {
    const wanted = Math.min(READ_BYTES, end - offset);
    if (readFully(this.#fd, this.#buffer, offset, wanted) !== wanted)
      throw new RangeError("the file ends before what arrived");
    return this.#buffer.subarray(0, wanted);
  }

  /** From the bytes just read where they are among them; a header may begin before. */
  #reread(bytes: Uint8Array, start: number, offset: number, length: number): Uint8Array {
    if (offset >= start) return bytes.subarray(offset - start, offset - start + length);
    const before = new Uint8Array(Math.min(length, start - offset));
    return before.subarray(0, readFully(this.#fd, before, offset, before.length));
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    closeSync(this.#fd);
  }
}
