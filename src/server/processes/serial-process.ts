import type { Logger } from "../runtime/log.ts";
import { KillableProcess, ProcessLost } from "./killable-process.ts";

export interface SerialProcessOptions<Request> {
  command: readonly string[];
  log: Pick<Logger, "warn">;
  /** Names the log line about a process that was lost. */
  event: string;
  /** Asked of a new process before its first request, and answered with itself: starting is not to count as work. */
  ready: Request;
  /** What one request may take. */
  timeoutMs: number;
  /** What the process may take meanwhile; looked after on Linux. */
  maxMemoryBytes?: number;
  /** Shared with other processes that shall not work at the same time. */
  turns?: SharedTurns;
}

/** Lets works have their turn one after the other. */
export class SharedTurns {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined); // whoever asked sees it; the next one has its own turn
    return turn;
  }
}

/** The start of a process on a busy machine. */
const START_TIMEOUT_MS = 30_000;
const IDLE_MS = 15_000;
/** A process is replaced after so many requests, so that nothing it leaks can grow. */
const MAX_REQUESTS_PER_PROCESS = 500;
/** A process that kept more of a large request than this is replaced: nothing else takes the memory back. */
const MAX_KEPT_BYTES = 48 * 1024 * 1024;

/** A killable process that starts with the first request, answers one at a time, and ends when none came for a while. */
export class SerialProcess<Request, Reply> {
  readonly #options: SerialProcessOptions<Request>;
  readonly #closing = new AbortController();
  #process: KillableProcess<Request, Reply> | undefined;
  readonly #turns: SharedTurns;
  #requests = 0;
  #startBytes = 0;
  #idleTimer: Timer | undefined;

  constructor(options: SerialProcessOptions<Request>) {
    this.#options = options;
    this.#turns = options.turns ?? new SharedTurns();
  }

  /**
   * Waits for its turn. `ProcessLost` is given back where the request took too long, too much, or ended the process.
   * @throws what `signal` was aborted with, or `ProcessLost` where no process can be started
   */
  request(request: Request, signal: AbortSignal): Promise<Reply | ProcessLost> {
    return this.#turns.run(() => this.#request(request, AbortSignal.any([signal, this.#closing.signal])));
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closing.abort(new ProcessLost("the server is stopping"));
    const process = this.#process;
    this.#retire();
    await process?.exited;
  }

  async #request(request: Request, signal: AbortSignal): Promise<Reply | ProcessLost> {
    signal.throwIfAborted();
    const process = await this.#ready(signal);
    const { timeoutMs, maxMemoryBytes } = this.#options;
    try {
      return await process.request(request, { signal, timeoutMs, ...(maxMemoryBytes && { maxMemoryBytes }) });
    } catch (error) {
      if (signal.aborted || !(error instanceof ProcessLost)) throw error;
      this.#options.log.warn(this.#options.event, { detail: error.message });
      return error;
    } finally {
      this.#requests++;
      const keptBytes = process.residentBytes - this.#startBytes;
      const isWorn = this.#requests >= MAX_REQUESTS_PER_PROCESS || keptBytes > MAX_KEPT_BYTES;
      if (process.isGone || isWorn) this.#retire();
      else this.#retireLater();
    }
  }

  async #ready(signal: AbortSignal): Promise<KillableProcess<Request, Reply>> {
    clearTimeout(this.#idleTimer);
    if (this.#process && !this.#process.isGone) return this.#process;
    const process = new KillableProcess<Request, Reply>(this.#options.command);
    this.#process = process;
    this.#requests = 0;
    await process.request(this.#options.ready, { signal, timeoutMs: START_TIMEOUT_MS });
    this.#startBytes = process.residentBytes;
    return process;
  }

  #retireLater(): void {
    this.#idleTimer = setTimeout(() => this.#retire(), IDLE_MS);
    this.#idleTimer.unref();
  }

  #retire(): void {
    clearTimeout(this.#idleTimer);
    this.#process?.kill();
    this.#process = undefined;
  }
}
