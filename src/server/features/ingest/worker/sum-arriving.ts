import { closeSync, openSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { readFully } from "../../../archive/file-window.ts";
import { ArrivingVolume } from "./arriving-volume.ts";
import type { GuessedVolume, WorkerRequests } from "./worker-messages.ts";

const READ_BYTES = 256 * 1024;
const READS_PER_TURN = 4;

/**
 * Sums a file while it is written: the volume that it may become and, before that, each chunk that has a sum of its own, whose sender
 * waits for it.
 */
export class ArrivingFileSums implements Disposable {
  readonly #fd: number;
  readonly #buffer = new Uint8Array(READ_BYTES);
  readonly #volume: ArrivingVolume;
  #chunk = new Bun.CryptoHasher("sha256");
  /** Everything before is in the file, and summed if it is of a chunk. */
  #arrivedOffset = 0;
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
  async sum({ end, of }: WorkerRequests["sum"]): Promise<string | undefined> {
    if (of === "volume") {
      this.#arrivedOffset = end;
      await this.#catchUp();
      return undefined;
    }
    this.#isChunkDue = true;
    while (this.#arrivedOffset < end) {
      const bytes = this.#read(this.#arrivedOffset, end);
      this.#chunk.update(bytes);
      this.#arrivedOffset += bytes.length;
    }
    if (of === "chunk") return undefined;
    const sha256 = this.#chunk.digest("hex");
    this.#chunk = new Bun.CryptoHasher("sha256");
    this.#isChunkDue = false;
    this.#catchUp().catch(() => {}); // thrown to whoever asks for the volume
    return sha256;
  }

  /** The volume of the whole file; `undefined` if it can't become one in place. */
  async volume(): Promise<GuessedVolume | undefined> {
    await this.#catchUp();
    return this.#volume.finish();
  }

  /** Sums the volume up to what arrived, or until the next chunk comes. */
  async #catchUp(): Promise<void> {
    await this.#summing;
    this.#summing ??= this.#sumVolume().finally(() => (this.#summing = undefined));
    await this.#summing;
  }

  async #sumVolume(): Promise<void> {
    for (let reads = 1; !this.#isCaughtUp(); reads++) {
      const start = this.#volumeOffset;
      const bytes = this.#read(start, this.#arrivedOffset);
      const end = start + bytes.length;
      this.#volume.advance((offset, length) => this.#reread(bytes, start, offset, length), end);
      this.#volumeOffset = end;
      if (reads % READS_PER_TURN > 0) continue;
      await setImmediate();
      if (this.#isClosed) return;
    }
  }

  #isCaughtUp(): boolean {
    return this.#isChunkDue || this.#volume.isOver || this.#volumeOffset >= this.#arrivedOffset;
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
