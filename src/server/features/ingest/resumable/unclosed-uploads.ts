import { isDatabaseUnavailable } from "../../../db/database.errors.ts";
import type { Deps } from "../../../deps.ts";
import { describeError } from "../../../runtime/log.ts";
import { closeUpload } from "./growing-upload.ts";

/** As long as a statement waits while the database is known not to answer. */
const RETRY_MS = 2_000;
/** Beyond that the oldest are left to `closeAbandoned`, which takes them in once their hold is old. */
const MAX_UNCLOSED = 1_000;

/**
 * Grown uploads of this process, to which it writes no more, that a database which was away could not be told to have taken in. They are
 * closed within seconds of its return.
 */
export class UnclosedUploads implements Disposable {
  readonly #ids = new Set<string>();
  #timer: Timer | undefined;
  #isOver = false;

  constructor(private readonly deps: Pick<Deps, "db" | "jobs" | "clock" | "log">) {}

  add(uploadId: string): void {
    const [oldest] = this.#ids;
    if (oldest !== undefined && this.#ids.size >= MAX_UNCLOSED) this.#ids.delete(oldest);
    this.#ids.add(uploadId);
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isOver || this.#timer || this.#ids.size === 0) return;
    this.#timer = setTimeout(async () => {
      await this.#closeAll();
      this.#timer = undefined;
      this.#retryLater();
    }, RETRY_MS);
    this.#timer.unref();
  }

  async #closeAll(): Promise<void> {
    for (const uploadId of [...this.#ids]) {
      if (this.#isOver) return;
      try {
        await closeUpload(this.deps, uploadId);
      } catch (error) {
        if (isDatabaseUnavailable(error)) return;
        this.deps.log.error("dimse.close_failed", describeError(error));
      }
      this.#ids.delete(uploadId);
    }
  }

  /** Leaves the rest to the next run of this node. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
