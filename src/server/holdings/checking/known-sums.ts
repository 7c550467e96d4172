import type { PieceSums } from "../../archive/piece-sums.ts";
import { ByteCache } from "../../runtime/byte-cache.ts";

/** Enough for the sums of 250 GB of volumes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A file that was read and found right so recently is not read again before it is sent. */
const RIGHT_FOR_MS = 60_000;
const MAX_RIGHT_BYTES = 512 * 1024;
/** The approximate memory of an entry with its key and revision. */
const RIGHT_FILE_BYTES = 500;

/** The sums of recently read objects, and of entries in volumes without stored sums. */
export class KnownSums extends ByteCache<PieceSums> {
  readonly #rightFiles = new ByteCache<{ revision: string; atMs: number }>(
    MAX_RIGHT_BYTES,
    () => RIGHT_FILE_BYTES,
  );

  constructor() {
    super(MAX_BYTES, (sums) => sums.heldBytes);
  }

  /** Forgets all sums, so that the next reads look them up again. */
  override clear(): void {
    super.clear();
    this.#rightFiles.clear();
  }

  /** Records that the whole file was read in this revision and is correct. */
  noteRight(key: string, revision: string): void {
    this.#rightFiles.set(key, { revision, atMs: performance.now() });
  }

  /** Whether the whole file was recently found correct and has not been written since. */
  isRight(key: string, revision: string): boolean {
    const file = this.#rightFiles.get(key);
    return file?.revision === revision && performance.now() - file.atMs < RIGHT_FOR_MS;
  }
}
