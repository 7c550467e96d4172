import { readFileSync } from "node:fs";
import type { Subprocess } from "bun";
import type { Numbered } from "./serve-requests.ts";

/** The process ended, was stopped, took too long, or was not free. */
export class ProcessLost extends Error {
  override name = "ProcessLost";
}

/** The process ended by itself, or by whoever killed it, and not by what was asked of it as far as anybody knows. */
export class ProcessEnded extends ProcessLost {
  override name = "ProcessEnded";
}

/** It took too long, and was killed. */
export class ProcessTooSlow extends ProcessLost {
  override name = "ProcessTooSlow";
}

/** It took too much memory, and was killed. */
export class ProcessTooLarge extends ProcessLost {
  override name = "ProcessTooLarge";
}

const FAULTS = [ProcessEnded, ProcessTooSlow, ProcessTooLarge];

export interface RequestBounds {
  signal: AbortSignal;
  timeoutMs: number;
  /** The process is killed if its resident memory exceeds this. Measured on Linux only. */
  maxMemoryBytes?: number;
}

const MEMORY_EVERY_MS = 25;

interface Pending<Reply> {
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
}

/**
 * A child process that answers one request at a time, or up to `atOnce`; `serveRequests` is its other side. It is not a thread, because
 * a thread that a hostile file keeps busy can't be stopped and shares the server's memory. A process can be killed and
 * then returns all its memory.
 */
export class KillableProcess<Request, Reply> {
  readonly #child: Subprocess;
  readonly #atOnce: number;
  readonly #pending = new Map<number, Pending<Reply>>();
  #requests = 0;
  /** Set while requests with a limit are under way. */
  #watch: Timer | undefined;
  /** Why the process is gone. */
  #gone: Error | undefined;

  constructor(command: readonly string[], { atOnce = 1 }: { atOnce?: number } = {}) {
    this.#atOnce = atOnce;
    this.#child = Bun.spawn([...command], {
      // The child gets none of the server's environment, which holds secrets.
      env: {},
      stdio: ["ignore", "ignore", "inherit"],
      serialization: "advanced",
      ipc: (reply: Numbered<Reply>) => this.#settle(reply),
      onExit: () => this.#end(new ProcessEnded("the process ended")),
    });
    this.#child.unref();
  }

  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /** Whether it ended by itself, or was killed since it took too much. It may also be gone because nobody wanted its answer. */
  get hasFailed(): boolean {
    return FAULTS.some((fault) => this.#gone instanceof fault);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Resident memory of the process. 0 if it is unknown. */
  get residentBytes(): number {
    return residentBytes(this.#child.pid);
  }

  /**
   * Sends one request; with `atOnce` under way, the next may only follow a reply. The process is killed, and all its requests fail,
   * if one of them is aborted, takes too long or takes too much memory.
   * @throws {ProcessLost} or the reason of the signal
   */
  async request(request: Request, { signal, timeoutMs, maxMemoryBytes }: RequestBounds): Promise<Reply> {
    signal.throwIfAborted();
    if (this.#gone instanceof ProcessEnded) throw this.#gone;
    if (this.#gone || this.#pending.size >= this.#atOnce) throw new ProcessLost("the process is not free");
    const timer = setTimeout(() => this.#kill(new ProcessTooSlow("the request took too long")), timeoutMs);
    // Requests that are under way together are watched once.
    if (maxMemoryBytes) this.#watch ??= setInterval(() => this.#weigh(maxMemoryBytes), MEMORY_EVERY_MS);
    const abort = () => this.#kill(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await new Promise<Reply>((resolve, reject) => {
        const number = ++this.#requests;
        this.#pending.set(number, { resolve, reject });
        this.#child.send({ number, body: request } satisfies Numbered<Request>);
      });
    } finally {
      clearTimeout(timer);
      if (this.#pending.size === 0) this.#unwatch();
      signal.removeEventListener("abort", abort);
    }
  }

  kill(): void {
    this.#kill(new ProcessLost("the process was stopped"));
  }

  /** Resolves when the process is gone. */
  get exited(): Promise<unknown> {
    return this.#child.exited;
  }

  #weigh(maxMemoryBytes: number): void {
    if (residentBytes(this.#child.pid) > maxMemoryBytes) {
      this.#kill(new ProcessTooLarge("the request took too much memory"));
    }
  }

  #unwatch(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #kill(reason: Error): void {
    this.#end(reason);
    this.#child.kill("SIGKILL");
  }

  #settle({ number, body }: Numbered<Reply>): void {
    const pending = this.#pending.get(number);
    this.#pending.delete(number);
    pending?.resolve(body);
  }

  #end(reason: Error): void {
    this.#gone ??= reason;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(reason);
  }
}

/** From proc(5); 0 if there is no such process. */
function residentBytes(pid: number): number {
  if (process.platform !== "linux") return 0;
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // the process has ended, and the caller that waits for it gets the error
  }
}
