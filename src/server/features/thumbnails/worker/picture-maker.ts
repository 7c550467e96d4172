import { join } from "node:path";
import type { Logger } from "../../../log.ts";
import { KillableProcess, ProcessLost } from "../../../processes/killable-process.ts";
import { type PictureFailure, type PictureReply, type PictureRequest, READY } from "./picture-messages.ts";

/** Makes small pictures in a process of its own. */
export interface PictureMaker {
  /**
   * The picture of one frame, or why there is none: `lost` where decoding took too long or ended the process.
   * One at a time; others wait.
   * @throws what `signal` was aborted with, or `ProcessLost` where no process can be started
   */
  make(request: PictureRequest, signal: AbortSignal): Promise<Picture>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export type Picture =
  | { ok: true; image: Uint8Array }
  | { ok: false; failure: PictureFailure | "lost"; detail: string };

export interface PictureMakerOptions {
  log: Pick<Logger, "warn">;
  /**
   * Starts the process. Without it the entry is run from source; the compiled executable names itself and a
   * subcommand that imports `picture-worker.ts`.
   */
  command?: readonly string[] | undefined;
  /** What decoding one frame may take. */
  timeoutMs?: number;
}

const DECODE_TIMEOUT_MS = 5_000;
/** The start of a process on a busy machine. */
const START_TIMEOUT_MS = 30_000;
const IDLE_MS = 15_000;
/** A process is replaced after so many pictures, so that nothing it leaks can grow. */
const MAX_PICTURES_PER_PROCESS = 500;

type Decoder = KillableProcess<PictureRequest | typeof READY, PictureReply | typeof READY>;

/** The process starts with the first picture and ends when none was asked for a while. */
export function createPictureMaker(options: PictureMakerOptions): PictureMaker {
  return new OneProcess(options);
}

class OneProcess implements PictureMaker {
  readonly #log: PictureMakerOptions["log"];
  readonly #command: readonly string[];
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();
  #decoder: Decoder | undefined;
  #pictures = 0;
  #idleTimer: Timer | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ log, command, timeoutMs = DECODE_TIMEOUT_MS }: PictureMakerOptions) {
    this.#log = log;
    this.#command = command ?? [process.execPath, join(import.meta.dir, "picture-worker.ts")];
    this.#timeoutMs = timeoutMs;
  }

  make(request: PictureRequest, signal: AbortSignal): Promise<Picture> {
    const turn = this.#last.then(() => this.#make(request, AbortSignal.any([signal, this.#closing.signal])));
    this.#last = turn.catch(() => undefined); // whoever asked sees it; the next one has its own turn
    return turn;
  }

  async close(): Promise<void> {
    this.#closing.abort(new ProcessLost("the server is stopping"));
    const decoder = this.#decoder;
    this.#retire();
    await decoder?.exited;
  }

  async #make(request: PictureRequest, signal: AbortSignal): Promise<Picture> {
    signal.throwIfAborted();
    const decoder = await this.#ready(signal);
    try {
      const reply = await decoder.request(request, { signal, timeoutMs: this.#timeoutMs });
      if (reply === READY) throw new ProcessLost("the process answers something else");
      return reply;
    } catch (error) {
      if (signal.aborted || !(error instanceof ProcessLost)) throw error;
      this.#log.warn("thumbnails.process_lost", { detail: error.message });
      return { ok: false, failure: "lost", detail: error.message };
    } finally {
      this.#pictures++;
      if (decoder.isGone || this.#pictures >= MAX_PICTURES_PER_PROCESS) this.#retire();
      else this.#retireLater();
    }
  }

  async #ready(signal: AbortSignal): Promise<Decoder> {
    clearTimeout(this.#idleTimer);
    if (this.#decoder && !this.#decoder.isGone) return this.#decoder;
    const decoder: Decoder = new KillableProcess(this.#command);
    this.#decoder = decoder;
    this.#pictures = 0;
    await decoder.request(READY, { signal, timeoutMs: START_TIMEOUT_MS });
    return decoder;
  }

  #retireLater(): void {
    this.#idleTimer = setTimeout(() => this.#retire(), IDLE_MS);
    this.#idleTimer.unref();
  }

  #retire(): void {
    clearTimeout(this.#idleTimer);
    this.#decoder?.kill();
    this.#decoder = undefined;
  }
}
