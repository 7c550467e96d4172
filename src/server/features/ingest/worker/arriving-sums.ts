import type { RequestBounds } from "../../../processes/killable-process.ts";
import { IngestRefused } from "./worker.errors.ts";
import type { GuessedVolume, WorkerRequests } from "./worker-messages.ts";
import type { WorkerProcess } from "./worker-process.ts";

/**
 * The sums of a file that arrives, made by a process beside the one that receives it. A process that is lost takes them with it, and
 * whoever needs them reads the file.
 */
export class ArrivingSums {
  readonly #process: Pick<WorkerProcess, "request">;
  readonly #bounds: RequestBounds;
  readonly #leave: () => Promise<void>;
  /** The last of the requests, which follow each other. */
  #last: Promise<unknown>;
  /** What the next request but the running one is about. */
  #due: { end: number; of: "volume" | "chunk" } | undefined;
  #left: Promise<void> | undefined;

  constructor(
    process: Pick<WorkerProcess, "request">,
    begun: WorkerRequests["beginSums"],
    { bounds, leave }: { bounds: RequestBounds; leave: () => Promise<void> },
  ) {
    this.#process = process;
    this.#bounds = bounds;
    this.#leave = leave;
    this.#last = process.request("beginSums", begun, bounds);
    this.#last.catch(() => {}); // thrown to whoever asks for a sum
  }

  /** Tells that the file has everything before `end`, and whether what is new there is of a chunk that has a sum of its own. */
  reach(end: number, of: "volume" | "chunk"): void {
    if (this.#due?.of === of) {
      this.#due.end = end;
      return;
    }
    const due = { end, of };
    this.#due = due;
    this.#queue(() => {
      if (this.#due === due) this.#due = undefined;
      return this.#sum(due.end, due.of);
    }).catch(() => {}); // as above
  }

  /** SHA-256 (hex) of what arrived since the last chunk. @throws {IngestRefused} if the process is lost, or was freed */
  async chunkSum(end: number): Promise<string> {
    const sha256 = await this.#queue(() => this.#sum(end, "chunk_end"));
    if (sha256 === undefined) throw new IngestRefused("worker.failed", "a chunk without a sum");
    return sha256;
  }

  /** The volume that the whole file becomes, if that could be told. Frees the process. */
  async finish(): Promise<GuessedVolume | undefined> {
    try {
      return await this.#queue(() => this.#process.request("endSums", {}, this.#bounds));
    } finally {
      await this.end();
    }
  }

  /** Frees the process; idempotent. */
  end(): Promise<void> {
    this.#left ??= this.#last.then(
      () => this.#leave(),
      () => this.#leave(),
    );
    return this.#left;
  }

  #sum(end: number, of: WorkerRequests["sum"]["of"]): Promise<string | undefined> {
    return this.#process.request("sum", { end, of }, this.#bounds);
  }

  #queue<Result>(request: () => Promise<Result>): Promise<Result> {
    // Another upload may have the process by now.
    if (this.#left) return Promise.reject(new IngestRefused("worker.failed", "the process was freed"));
    const result = this.#last.then(request);
    this.#last = result;
    return result;
  }
}
