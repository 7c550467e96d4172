import type { Subprocess } from "bun";
import { IngestRefused } from "./worker.errors.ts";
import type {
  WorkerBeat,
  WorkerReply,
  WorkerRequest,
  WorkerRequests,
  WorkerResults,
} from "./worker-messages.ts";

/**
 * One child process that reads uploads. A process, not a thread: a thread that runs wild in a hostile file can't
 * be stopped and takes the server's memory with it; a process can be killed and gives all of it back.
 */
export class WorkerProcess {
  readonly #child: Subprocess;
  #pending: { resolve: (reply: WorkerReply) => void; reject: (error: Error) => void } | undefined;
  #isGone = false;

  constructor(command: readonly string[]) {
    this.#child = Bun.spawn([...command], {
      // Nothing of the server's environment: it holds secrets.
      env: {},
      stdio: ["ignore", "ignore", "inherit"],
      serialization: "advanced",
      ipc: (reply: WorkerReply) => this.#settle(reply),
      onExit: () => this.#end("the worker process ended"),
    });
    this.#child.unref();
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /**
   * Carries out one beat; the next may only follow its end. Aborted or late, the process is killed.
   * @throws {IngestRefused} what the worker says, or `worker.failed` where it ended or took too long
   */
  async request<Beat extends WorkerBeat>(
    beat: Beat,
    body: WorkerRequests[Beat],
    { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  ): Promise<WorkerResults[Beat]> {
    signal.throwIfAborted();
    if (this.#isGone || this.#pending) throw new IngestRefused("worker.failed", "the worker is not free");
    const timer = setTimeout(
      () => this.#kill(new IngestRefused("worker.failed", `${beat} took too long`)),
      timeoutMs,
    );
    const abort = () => this.#kill(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      const reply = await new Promise<WorkerReply>((resolve, reject) => {
        this.#pending = { resolve, reject };
        this.#child.send({ beat, body } as WorkerRequest);
      });
      if (!reply.ok) throw new IngestRefused(reply.failure, reply.detail);
      return reply.result as WorkerResults[Beat];
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  kill(): void {
    this.#kill(new IngestRefused("worker.failed", "the worker was stopped"));
  }

  /** Resolves when the process is gone. */
  get exited(): Promise<unknown> {
    return this.#child.exited;
  }

  #kill(reason: Error): void {
    this.#end(reason.message, reason);
    this.#child.kill("SIGKILL");
  }

  #settle(reply: WorkerReply): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve(reply);
  }

  #end(detail: string, reason: Error = new IngestRefused("worker.failed", detail)): void {
    this.#isGone = true;
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(reason);
  }
}
