import {
  KillableProcess,
  ProcessEnded,
  ProcessLost,
  ProcessTooLarge,
  ProcessTooSlow,
  type RequestBounds,
} from "../../../processes/killable-process.ts";
import { IngestRefused } from "./worker.errors.ts";
import type {
  IngestFailure,
  WorkerBeat,
  WorkerReply,
  WorkerRequest,
  WorkerRequests,
  WorkerResults,
} from "./worker-messages.ts";

/** A child process that reads uploads. */
export class WorkerProcess {
  readonly #process: KillableProcess<WorkerRequest, WorkerReply>;

  constructor(command: readonly string[], bounds?: { atOnce: number }) {
    this.#process = new KillableProcess(command, bounds);
  }

  get isGone(): boolean {
    return this.#process.isGone;
  }

  /** Whether it is gone, and not because its upload was given up or is to begin again. */
  get hasFailed(): boolean {
    return this.#process.hasFailed;
  }

  /** 0 if it is unknown. */
  get residentBytes(): number {
    return this.#process.residentBytes;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /**
   * Carries out one beat of the upload `session`; its next may begin only after this one ends. An abort, the time limit or the memory
   * limit kills the process.
   * @throws {IngestRefused} as the worker says, `worker.lost` when it ended, `worker.slow` when reading took too long,
   *   `upload.too_much_memory`, or `worker.failed`
   */
  async request<Beat extends WorkerBeat>(
    beat: Beat,
    body: WorkerRequests[Beat],
    bounds: RequestBounds,
    session = 0,
  ): Promise<WorkerResults[Beat]> {
    const request = { session, beat, body } as WorkerRequest;
    const reply = await this.#process.request(request, bounds).catch((error) => {
      if (!(error instanceof ProcessLost)) throw error;
      throw new IngestRefused(failureOf(error, request), `${beat}: ${error.message}`);
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

function failureOf(error: ProcessLost, request: WorkerRequest): IngestFailure {
  if (error instanceof ProcessEnded) return "worker.lost";
  if (error instanceof ProcessTooLarge) return "upload.too_much_memory";
  return error instanceof ProcessTooSlow && isRead(request) ? "worker.slow" : "worker.failed";
}

/** Whether the upload is read. To be given one takes long on a busy machine alone. */
function isRead({ beat, body }: WorkerRequest): boolean {
  return beat === "scan" || beat === "build" || (beat === "open" && body.scannedAtOnceBytes > 0);
}
