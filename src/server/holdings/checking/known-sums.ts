import type { PieceSums } from "../../archive/piece-sums.ts";
import { ByteCache } from "../../runtime/byte-cache.ts";

/** Enough for the sums of 250 GB of volumes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A file that was read and found right so recently is not read again before it is sent. */
const RIGHT_FOR_MS = 60_000;
const MAX_RIGHT_BYTES = 512 * 1024;
/** The approximate memory of an entry with its key and revision. */
const RIGHT_FILE_BYTES = 500;
/** An entry that was read and found changed so recently is not read again to see whether it is right beside a changed piece. */
const CHANGED_FOR_MS = 60_000;

/** The sums of recently read objects, and of entries in volumes without stored sums. */
export class KnownSums extends ByteCache<PieceSums> {
  readonly #rightFiles = new ByteCache<{ revision: string; atMs: number }>(
    MAX_RIGHT_BYTES,
    () => RIGHT_FILE_BYTES,
  );

  /** When entries of volumes were found changed. */
  readonly #changedEntries = new ByteCache<{ atMs: number }>(MAX_RIGHT_BYTES, () => RIGHT_FILE_BYTES);

  constructor() {
    super(MAX_BYTES, (sums) => sums.heldBytes);
  }

  /** Forgets all sums, so that the next reads look them up again. */
  override clear(): void {
    super.clear();
    this.#rightFiles.clear();
    this.#changedEntries.clear();
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

  /** Records that the entry was read and is not as it was stored. */
  noteChanged(key: string): void {
    this.#changedEntries.set(key, { atMs: performance.now() });
  }

  /** Whether the entry was recently found changed. */
  isChanged(key: string): boolean {
    const entry = this.#changedEntries.get(key);
    return entry !== undefined && performance.now() - entry.atMs < CHANGED_FOR_MS;
  }
}
