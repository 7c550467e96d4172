import type { Deps } from "../../../deps.ts";
import type { ArrivingSums } from "../worker/arriving-sums.ts";
import { DEFAULT_INGEST_LIMITS } from "../worker/ingest-limits.ts";
import type { GuessedVolume } from "../worker/worker-messages.ts";
import type { ResumableUpload } from "./resumable-uploads.table.ts";

/** A longer pause between two chunks, or two steps of one, frees the process: summing in turn costs so slow a sender nothing. */
const PATIENCE_MS = 5_000;

/**
 * Lets a separate process sum an upload while its bytes are written: one upload at a time, the first that comes. The receiving process
 * sums all others itself, and those of slow senders and those with a chunk that begins anew.
 */
export class SideSums {
  #kept: { uploadId: string; sums: ArrivingSums; end: number; startedAt: number; quiet: Timer } | undefined;

  /**
   * @param minBytes the smallest upload that a separate process sums
   * @param patienceMs how long it waits for the next chunk, or the next step of one
   */
  constructor(
    private readonly workers: Pick<Deps["ingestWorkers"], "sumArriving">,
    private readonly minBytes = DEFAULT_INGEST_LIMITS.minGuessedBytes,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** The sums of an upload's file, with everything that it has; `undefined` if nobody makes them. */
  open({ id, receivedBytes, sizeBytes }: ResumableUpload, path: string): ArrivingSums | undefined {
    if (this.#kept?.uploadId === id && this.#kept.end !== receivedBytes) this.drop(id);
    if (!this.#kept && receivedBytes === 0 && sizeBytes >= this.minBytes) {
      const sums = this.workers.sumArriving(path, DEFAULT_INGEST_LIMITS);
      if (!sums) return undefined;
      const quiet = setTimeout(() => this.drop(id), this.patienceMs).unref();
      this.#kept = { uploadId: id, sums, end: 0, startedAt: 0, quiet };
    }
    if (this.#kept?.uploadId !== id) return undefined;
    this.#kept.startedAt = performance.now();
    this.#kept.quiet.refresh();
    return this.#kept.sums;
  }

  /** Tells that the upload stands at `end`, and that what was summed up to there is what it has. */
  keep(uploadId: string, end: number): void {
    const kept = this.#kept;
    if (kept?.uploadId !== uploadId) return;
    if (performance.now() - kept.startedAt > this.patienceMs) {
      this.drop(uploadId);
      return;
    }
    kept.end = end;
    kept.startedAt = performance.now();
    kept.quiet.refresh();
  }

  drop(uploadId: string): void {
    const kept = this.#kept;
    if (kept?.uploadId !== uploadId) return;
    this.#forget();
    kept.sums.end().catch(() => {}); // the process is replaced
  }

  /** The volume that a whole upload becomes, if that is known. */
  async take({ id, sizeBytes }: ResumableUpload): Promise<GuessedVolume | undefined> {
    const kept = this.#kept;
    if (kept?.uploadId !== id) return undefined;
    if (kept.end !== sizeBytes) {
      this.drop(id);
      return undefined;
    }
    this.#forget();
    return await kept.sums.finish().catch(() => undefined); // an upload succeeds without it
  }

  #forget(): void {
    clearTimeout(this.#kept?.quiet);
    this.#kept = undefined;
  }
}
