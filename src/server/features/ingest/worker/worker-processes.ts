import type { Logger } from "../../../runtime/log.ts";
import { WorkerProcess } from "./worker-process.ts";

const IDLE_MS = 60_000;
/** The time for taking an upload away from a process. */
const DISPOSAL_TIMEOUT_MS = 30_000;
/** A process is replaced after this many uploads, which bounds any leak. */
const MAX_UPLOADS_PER_PROCESS = 500;

export interface PooledProcess {
  process: WorkerProcess;
  uploads: number;
  idleTimer?: Timer;
}

export interface WorkerProcessesOptions {
  command: readonly string[];
  log: Pick<Logger, "warn">;
  /** Aborts when all processes are to end. */
  signal: AbortSignal;
}

/** Processes that start when needed and end after a minute without uploads. */
export class WorkerProcesses {
  readonly #options: WorkerProcessesOptions;
  readonly #idle: PooledProcess[] = [];
  readonly #busy = new Set<PooledProcess>();

  constructor(options: WorkerProcessesOptions) {
    this.#options = options;
  }

  /** An idle process, or a new one. */
  take(): PooledProcess {
    let pooled = this.#idle.pop();
    while (pooled?.process.isGone) pooled = this.#idle.pop();
    pooled ??= { process: new WorkerProcess(this.#options.command), uploads: 0 };
    clearTimeout(pooled.idleTimer);
    pooled.uploads++;
    this.#busy.add(pooled);
    return pooled;
  }

  /** Takes a process back; one that does not answer is killed. Resolves once it works no more. */
  async giveBack(pooled: PooledProcess, isLight = false): Promise<void> {
    const { process } = pooled;
    this.#busy.delete(pooled);
    if (process.isGone) {
      // A killed process may still be in a system call, so its folder may only be removed after its exit.
      await process.exited;
      if (process.hasFailed) this.#options.log.warn("ingest.worker_lost", { uploads: pooled.uploads });
      return;
    }
    try {
      const releasing = { signal: this.#options.signal, timeoutMs: DISPOSAL_TIMEOUT_MS };
      if (!isLight) await process.request("dispose", {}, releasing);
    } catch (error) {
      process.kill();
      // As above: the caller removes the folder as soon as this ends.
      await process.exited;
      this.#options.log.warn("ingest.worker_lost", { error: error instanceof Error ? error.name : "" });
      return;
    }
    if (pooled.uploads >= MAX_UPLOADS_PER_PROCESS) return process.kill();
    pooled.idleTimer = setTimeout(() => this.#retire(pooled), IDLE_MS);
    pooled.idleTimer.unref();
    this.#idle.push(pooled);
  }

  #retire(pooled: PooledProcess): void {
    const at = this.#idle.indexOf(pooled);
    if (at >= 0) this.#idle.splice(at, 1);
    pooled.process.kill();
  }

  /** Kills all of them. */
  async killAll(): Promise<void> {
    const all = [...this.#idle.splice(0), ...this.#busy];
    for (const { process, idleTimer } of all) {
      clearTimeout(idleTimer);
      process.kill();
    }
    await Promise.all(all.map(({ process }) => process.exited));
  }
}
