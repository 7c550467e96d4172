import type { PieceSums } from "../../archive/piece-sums.ts";
import { RecentlyUsed } from "../../archive/recently-used.ts";

/** Enough for the sums of 250 GB of volumes. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** What was read and right so lately is not read once more before it is sent. */
const RIGHT_FOR_MS = 60_000;
const MAX_RIGHT_FILES = 1_000;

/** Sums of objects that were read lately, and of entries in volumes that have none of their own. */
export class KnownSums {
  readonly #sums = new RecentlyUsed<PieceSums>(MAX_HELD_BYTES);

  readonly #rightFiles = new RecentlyUsed<{ revision: string; atMs: number }>(MAX_RIGHT_FILES);

  get(key: string): PieceSums | undefined {
    return this.#sums.get(key);
  }

  set(key: string, sums: PieceSums): void {
    this.#sums.set(key, sums, sums.heldBytes);
  }

  /** What is read next is looked up anew. */
  clear(): void {
    this.#sums.clear();
    this.#rightFiles.clear();
  }

  /** Notes that all of a file was read in this revision and is right. */
  noteRight(key: string, revision: string): void {
    this.#rightFiles.set(key, { revision, atMs: performance.now() }, 1);
  }

  /** Whether all of the file was read and right lately, and nobody wrote to it since. */
  isRight(key: string, revision: string): boolean {
    const file = this.#rightFiles.get(key);
    return file?.revision === revision && performance.now() - file.atMs < RIGHT_FOR_MS;
  }

  /** The sums under `key`, made where there are none; those who ask at the same time share one making. */
  async getOrMake(key: string, make: () => Promise<PieceSums>): Promise<PieceSums> {
    return await this.#sums.getOrMake(key, make, (sums) => sums.heldBytes);
  }
}
