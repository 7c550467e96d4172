import { isFolder } from "../../../../shared/zip/zip-entry.ts";
import { decodeLocalEntry, LOCAL_HEADER_BYTES } from "../../../../shared/zip/zip-format.ts";
import { InPlacePlanner, VolumeSummer } from "../../../archive/volume-in-place.ts";
import { isLikelyInstance } from "./guess-volume.ts";
import type { GuessedVolume } from "./worker-messages.ts";

/** Reads up to `length` bytes at `offset`, at least one of those that are there. The view is valid until the next call. */
export type ReadArrived = (offset: number, length: number) => Uint8Array;

const MAX_LOCAL_HEADER_BYTES = LOCAL_HEADER_BYTES + 2 * 0xffff;

/**
 * Hashes the volume that a ZIP becomes while the ZIP arrives, by its local headers: `guessVolume` does so by the directory,
 * which comes last. It gives up where a local header does not tell the size of its entry.
 */
export class ArrivingVolume {
  readonly #planner: InPlacePlanner;
  readonly #summer = new VolumeSummer();
  #entries = 0;
  /** Everything before is hashed, or is no part of the volume. */
  #offset = 0;
  #leftInEntry = 0;
  #isHashed = false;
  #state: "entries" | "directory" | "given_up" = "entries";

  constructor(
    readonly volumeId: string,
    private readonly maxEntries: number,
  ) {
    this.#planner = new InPlacePlanner(volumeId);
  }

  /** Whether nothing that follows changes the outcome. */
  get isOver(): boolean {
    return this.#state !== "entries";
  }

  /** Goes on with what arrived before `end`. */
  advance(read: ReadArrived, end: number): void {
    while (this.#offset < end && this.#state === "entries") {
      if (this.#leftInEntry === 0 && !this.#beginEntry(read, end)) return;
      if (this.#leftInEntry > 0) this.#takeData(read, end);
    }
  }

  /** The checksums of the volume, once everything was given. `undefined` if it gave up, or the ZIP can't become a volume in place. */
  finish(): GuessedVolume | undefined {
    const plan = this.#state === "directory" ? this.#planner.plan() : undefined;
    return plan && { volumeId: this.volumeId, ...this.#summer.finish(plan) };
  }

  #takeData(read: ReadArrived, end: number): void {
    const wanted = Math.min(this.#leftInEntry, end - this.#offset);
    if (wanted <= 0) return;
    const bytes = this.#isHashed ? read(this.#offset, wanted) : undefined;
    if (bytes) this.#summer.addData(bytes);
    const taken = bytes?.length ?? wanted;
    this.#offset += taken;
    this.#leftInEntry -= taken;
  }

  /** Returns `false` while the header has not arrived. */
  #beginEntry(read: ReadArrived, end: number): boolean {
    const fixed = this.#readFully(read, LOCAL_HEADER_BYTES, end);
    if (!fixed) return false;
    const header = decodeLocalEntry(fixed);
    if (!header) {
      // What follows the entries is the directory, or nothing that a ZIP has there, as the scan will tell.
      this.#state = "directory";
      return false;
    }
    const whole = this.#readFully(read, Math.min(header.byteLength, MAX_LOCAL_HEADER_BYTES), end);
    if (!whole) return false;
    const { method, crc32, storedBytes, sizeBytes, byteLength, nameBytes, isComplete } = header;
    const isKnown = isComplete && (method === 0 || method === 8) && ++this.#entries <= this.maxEntries;
    if (!isKnown) return this.#giveUp();
    const name = Buffer.from(whole.subarray(LOCAL_HEADER_BYTES, LOCAL_HEADER_BYTES + nameBytes)).toString(
      "utf8",
    );
    this.#isHashed = isLikelyInstance({ name, isFolder: isFolder(name, { sizeBytes }) });
    const dataOffset = this.#offset + byteLength;
    if (this.#isHashed) {
      const placed = this.#planner.add({ dataOffset, method, crc32, storedBytes, sizeBytes });
      if (!placed) return this.#giveUp();
      this.#summer.addHeader(placed);
    }
    this.#offset = dataOffset;
    this.#leftInEntry = storedBytes;
    return true;
  }

  #giveUp(): false {
    this.#state = "given_up";
    return false;
  }

  /** `length` bytes from here on; `undefined` if they have not all arrived. */
  #readFully(read: ReadArrived, length: number, end: number): Uint8Array | undefined {
    if (this.#offset + length > end) return undefined;
    const first = read(this.#offset, length);
    if (first.length === length) return first;
    const all = new Uint8Array(length);
    all.set(first);
    for (let done = first.length; done < length; ) {
      const more = read(this.#offset + done, length - done);
      if (more.length === 0) return undefined;
      all.set(more, done);
      done += more.length;
    }
    return all;
  }
}
