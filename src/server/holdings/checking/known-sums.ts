import type { PieceSums } from "../../archive/piece-sums.ts";
import { RecentlyUsed } from "../../archive/recently-used.ts";

/** Enough for the sums of 250 GB of volumes. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** Sums of objects that were read lately, and of entries in volumes that have none of their own. */
export class KnownSums {
  readonly #sums = new RecentlyUsed<PieceSums>(MAX_HELD_BYTES);

  get(key: string): PieceSums | undefined {
    return this.#sums.get(key);
  }

  set(key: string, sums: PieceSums): void {
    this.#sums.set(key, sums, sums.heldBytes);
  }

  /** What is read next is looked up anew. */
  clear(): void {
    this.#sums.clear();
  }

  /** The sums under `key`, made where there are none; those who ask at the same time share one making. */
  async getOrMake(key: string, make: () => Promise<PieceSums>): Promise<PieceSums> {
    return await this.#sums.getOrMake(key, make, (sums) => sums.heldBytes);
  }
}
