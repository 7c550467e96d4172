import type { Logger } from "../runtime/log.ts";
import { Turns } from "../runtime/turns.ts";
import { KillableProcess, ProcessLost } from "./killable-process.ts";
import { READY } from "./serve-requests.ts";

export interface SerialProcessOptions {
  /** Starts a process that answers by `serveSerially`. */
  command: readonly string[];
  log: Pick<Logger, "warn">;
  /** The event of the log line about a lost process. */
  event: string;
  /** How long one request may take. */
  timeoutMs: number;
  /** How much memory the process may take meanwhile. Measured on Linux only. */
  maxMemoryBytes?: number;
  /** How much more memory than at its start it may keep between requests; else it is replaced. */
  maxKeptBytes?: number;
  /** Shared with other processes that must not work at the same time. */
  turns?: Turns;
}

/** How long a process may take to start on a busy machine. */
const START_TIMEOUT_MS = 30_000;
const IDLE_MS = 15_000;
/** A process is replaced after so many requests, so that its leaks can't grow. */
const MAX_REQUESTS_PER_PROCESS = 500;
/** Unless told otherwise. A process that keeps more is replaced, because nothing else returns that memory. */
const MAX_KEPT_BYTES = 48 * 1024 * 1024;

type Serving<Request, Reply> = KillableProcess<Request | typeof READY, Reply | typeof READY>;

/** A killable process that starts at the first request, answers one at a time, and ends after a while without requests. */
export class SerialProcess<Request, Reply> {
  readonly #options: SerialProcessOptions;
  readonly #closing = new AbortController();
  #process: Serving<Request, Reply> | undefined;
  readonly #turns: Turns;
  #requests = 0;
  #startBytes = 0;
  #idleTimer: Timer | undefined;

  constructor(options: SerialProcessOptions) {
    this.#options = options;
    this.#turns = options.turns ?? new Turns();
  }

  /**
   * Waits for its turn. Returns `ProcessLost` if the request took too long, took too much memory or ended the process.
   * @throws the reason of `signal`, or `ProcessLost` if no process can be started
   */
  request(request: Request, signal: AbortSignal): Promise<Reply | ProcessLost> {
    return this.#turns.run(() => this.#request(request, AbortSignal.any([signal, this.#closing.signal])));
  }

  /** Ends the running request. */
  async close(): Promise<void> {
    this.#closing.abort(new ProcessLost("the server is stopping"));
    const process = this.#process;
    this.#retire();
    await process?.exited;
  }

  async #request(request: Request, signal: AbortSignal): Promise<Reply | ProcessLost> {
    signal.throwIfAborted();
    const process = await this.#ready(signal);
    const { timeoutMs, maxMemoryBytes, maxKeptBytes = MAX_KEPT_BYTES } = this.#options;
    try {
      const bounds = { signal, timeoutMs, ...(maxMemoryBytes && { maxMemoryBytes }) };
      const reply = await process.request(request, bounds);
      if (reply === READY) throw new TypeError("work was asked for");
      return reply;
    } catch (error) {
      if (signal.aborted || !(error instanceof ProcessLost)) throw error;
      this.#options.log.warn(this.#options.event, { detail: error.message });
      return error;
    } finally {
      this.#requests++;
      const keptBytes = process.residentBytes - this.#startBytes;
      const needsReplacement = this.#requests >= MAX_REQUESTS_PER_PROCESS || keptBytes > maxKeptBytes;
      if (process.isGone || needsReplacement) this.#retire();
      else this.#retireLater();
    }
  }

  async #ready(signal: AbortSignal): Promise<Serving<Request, Reply>> {
    clearTimeout(this.#idleTimer);
    if (this.#process && !this.#process.isGone) return this.#process;
    const process: Serving<Request, Reply> = new KillableProcess(this.#options.command);
    this.#process = process;
    this.#requests = 0;
    await process.request(READY, { signal, timeoutMs: START_TIMEOUT_MS });
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
