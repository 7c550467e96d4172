import type { PieceSums } from "../../archive/piece-sums.ts";
import { ByteCache } from "../../runtime/byte-cache.ts";

/** Enough for the sums of 250 GB of volumes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A file that was read and found right so recently is not read again before it is sent. */
const RIGHT_FOR_MS = 60_000;
const MAX_RIGHT_BYTES = 512 * 1024;
/** What an entry takes, with its key and revision. */
const RIGHT_FILE_BYTES = 500;

/** The sums of objects that were read lately, and of entries in volumes that have none of their own. */
export class KnownSums extends ByteCache<PieceSums> {
  readonly #rightFiles = new ByteCache<{ revision: string; atMs: number }>(
    MAX_RIGHT_BYTES,
    () => RIGHT_FILE_BYTES,
  );

  constructor() {
    super(MAX_BYTES, (sums) => sums.heldBytes);
  }

  /** Forgets everything, so that what is read next is looked up again. */
  override clear(): void {
    super.clear();
    this.#rightFiles.clear();
  }

  /** Notes that all of a file was read in this revision and is right. */
  noteRight(key: string, revision: string): void {
    this.#rightFiles.set(key, { revision, atMs: performance.now() });
  }

  /** Whether all of the file was read and found right lately, and nobody has written to it since. */
  isRight(key: string, revision: string): boolean {
    const file = this.#rightFiles.get(key);
    return file?.revision === revision && performance.now() - file.atMs < RIGHT_FOR_MS;
  }
}
