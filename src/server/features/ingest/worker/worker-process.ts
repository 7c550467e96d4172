import { KillableProcess, ProcessLost, type RequestBounds } from "../../../processes/killable-process.ts";
import { IngestRefused } from "./worker.errors.ts";
import type {
  WorkerBeat,
  WorkerReply,
  WorkerRequest,
  WorkerRequests,
  WorkerResults,
} from "./worker-messages.ts";

/** A child process that reads uploads. */
export class WorkerProcess {
  readonly #process: KillableProcess<WorkerRequest, WorkerReply>;

  constructor(command: readonly string[]) {
    this.#process = new KillableProcess(command);
  }

  get isGone(): boolean {
    return this.#process.isGone;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /**
   * Carries out one beat; the next may begin only after it ends. An abort or the time limit kills the process.
   * @throws {IngestRefused} as the worker says, or `worker.failed` when it ended or took too long
   */
  async request<Beat extends WorkerBeat>(
    beat: Beat,
    body: WorkerRequests[Beat],
    bounds: RequestBounds,
  ): Promise<WorkerResults[Beat]> {
    const reply = await this.#process.request({ beat, body } as WorkerRequest, bounds).catch((error) => {
      if (!(error instanceof ProcessLost)) throw error;
      throw new IngestRefused("worker.failed", `${beat}: ${error.message}`);
    });
    if (!reply.ok) throw new IngestRefused(reply.failure, reply.detail);
    return reply.result as WorkerResults[Beat];
  }

  kill(): void {
    this.#process.kill();
  }

  /** Resolves when the process is gone. */
  get exited(): Promise<unknown> {
    return this.#process.exited;
  }
}
