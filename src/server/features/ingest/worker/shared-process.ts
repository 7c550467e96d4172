import type { Logger } from "../../../runtime/log.ts";
import type { BuildPlan, BuiltUpload, IngestLimits, ScanResult } from "./worker-messages.ts";
import { WorkerProcess } from "./worker-process.ts";
import { type Place, type Worker, WorkerQueue } from "./worker-queue.ts";

/** Uploads that the process holds at once. */
const UPLOADS_AT_ONCE = 8;
/** A ZIP of no more bytes and weight may be read beside others. Others wait for about 10 ms while such a one is read. */
export const MAX_SHARED_BYTES = 2 * 1024 * 1024;
/** The time for reading an upload on a busy machine, with others before it, and more for a process that has yet to start. */
const OPENING_TIMEOUT_MS = 5_000;
const STARTING_TIMEOUT_MS = 15_000;
/** Accounts that had uploads in a lost process, any of which may have ended it, share none for this long. */
const APART_MS = 10 * 60_000;
const IDLE_MS = 60_000;
const never = new AbortController().signal;
/** The process is replaced when it has grown to this, which is looked at after so many uploads. A new one compiles its code again. */
const MAX_RESIDENT_BYTES = 256 * 1024 * 1024;
/** It is killed if it grows to this while it reads. */
const MAX_MEMORY_BYTES = 768 * 1024 * 1024;
const WEIGHED_EVERY = 64;
/** It is replaced after this many uploads in any case, which bounds any leak. */
const MAX_UPLOADS_PER_PROCESS = 10_000;

export interface SharedProcessOptions {
  command: readonly string[];
  log: Pick<Logger, "warn">;
  maxWaiting: number;
  /** Aborts when the process is to end. */
  signal: AbortSignal;
}

/** A small upload that is to be read. */
export interface SmallUpload {
  whose: Worker;
  uploadFolder: string;
  spoolPath: string;
  limits: IngestLimits;
  signal: AbortSignal;
}

/** A process, and the sessions whose uploads it may forget. */
interface Hot {
  process: WorkerProcess;
  hasAnswered: boolean;
  isWorn: boolean;
  uploads: number;
  held: number;
  ended: number[];
}

/** A place in the process. */
interface Seat {
  hot: Hot;
  session: number;
  place: Place;
  account: string;
}

/** A small upload that the process has read. */
export interface SharedSession {
  readonly scan: ScanResult;
  /** Builds like a session with a process of its own. @throws {IngestRefused} also `worker.failed` if the process was lost */
  build(plan: BuildPlan): Promise<BuiltUpload>;
  readonly isLost: boolean;
  /** Idempotent. Resolves once the process no longer works for this upload. */
  dispose(): Promise<void>;
}

/**
 * One process that reads small uploads, several beside each other: its code is compiled once, and it goes on with another upload
 * while the database plans and commits one. It ends after a minute without uploads. An upload that ends it takes the others along,
 * so whoever uses it must be able to begin again elsewhere.
 */
export class SharedProcess {
  readonly #options: SharedProcessOptions;
  readonly #queue: WorkerQueue;
  #hot: Hot | undefined;
  #sessions = 0;
  #idle: Timer | undefined;
  /** When these accounts may share a process again. */
  readonly #apart = new Map<string, number>();
  readonly #all = new Set<WorkerProcess>();

  constructor(options: SharedProcessOptions) {
    this.#options = options;
    this.#queue = new WorkerQueue(UPLOADS_AT_ONCE, options.maxWaiting);
  }

  /**
   * Reads a small upload, in its turn. `undefined` if a process of its own must read it: it weighs more, is refused, or the process
   * was lost meanwhile. @throws the reason of its signal
   */
  async open(upload: SmallUpload): Promise<SharedSession | undefined> {
    const { whose, signal, uploadFolder, spoolPath, limits } = upload;
    if (this.#queue.isFull || this.#isApart(whose.account)) return undefined;
    const place = await this.#queue.enter({ ...whose, lane: "small" }, signal);
    if (signal.aborted) place.leave();
    signal.throwIfAborted();
    const hot = this.#take();
    const seat: Seat = { hot, session: ++this.#sessions, place, account: whose.account };
    const ended = hot.ended.splice(0);
    const body = { uploadFolder, spoolPath, limits, scannedAtOnceBytes: MAX_SHARED_BYTES, ended };
    const timeoutMs = hot.hasAnswered ? OPENING_TIMEOUT_MS : STARTING_TIMEOUT_MS;
    const bounds = { signal: this.#options.signal, timeoutMs, maxMemoryBytes: MAX_MEMORY_BYTES };
    // Whatever fails, a process of its own says why.
    const opened = await hot.process.request("open", body, bounds, seat.session).catch(() => undefined);
    if (opened) hot.hasAnswered = true;
    if (opened?.scan && !signal.aborted) return sessionOf(seat, upload, opened.scan, () => this.#leave(seat));
    await this.#leave(seat);
    signal.throwIfAborted();
    return undefined;
  }

  #isApart(account: string): boolean {
    const now = performance.now();
    for (const [other, until] of this.#apart) if (until <= now) this.#apart.delete(other);
    return this.#apart.has(account);
  }

  #take(): Hot {
    clearTimeout(this.#idle);
    let hot = this.#hot;
    if (!hot || hot.process.isGone || hot.isWorn) hot = this.#hot = this.#start();
    hot.uploads++;
    hot.held++;
    return hot;
  }

  #start(): Hot {
    const process = new WorkerProcess(this.#options.command, { atOnce: UPLOADS_AT_ONCE });
    this.#all.add(process);
    process.exited.then(() => this.#all.delete(process));
    return { process, hasAnswered: false, isWorn: false, uploads: 0, held: 0, ended: [] };
  }

  async #leave({ hot, session, place, account }: Seat): Promise<void> {
    hot.held--;
    hot.ended.push(session);
    if (hot.process.isGone) {
      this.#apart.set(account, performance.now() + APART_MS);
      // A killed process may still be in a system call, so its folder may only be removed after its exit.
      await hot.process.exited;
      if (hot.process.hasFailed) this.#options.log.warn("ingest.worker_lost", { uploads: hot.uploads });
    } else {
      const isLarge = hot.uploads % WEIGHED_EVERY === 0 && hot.process.residentBytes > MAX_RESIDENT_BYTES;
      if (isLarge || hot.uploads >= MAX_UPLOADS_PER_PROCESS) hot.isWorn = true;
      if (hot.held === 0 && hot.isWorn) hot.process.kill();
      else if (hot.held === 0) this.#idle = setTimeout(() => hot.process.kill(), IDLE_MS).unref();
    }
    place.leave();
  }

  /** Kills the process. */
  async killAll(): Promise<void> {
    clearTimeout(this.#idle);
    const all = [...this.#all];
    for (const process of all) process.kill();
    await Promise.all(all.map(({ exited }) => exited));
  }
}

function sessionOf(
  { hot: { process }, session }: Seat,
  { limits: { timeoutMs }, signal }: SmallUpload,
  scan: ScanResult,
  leave: () => Promise<void>,
): SharedSession {
  let working: Promise<unknown> = Promise.resolve();
  let leaving: Promise<void> | undefined;
  return {
    scan,
    get isLost() {
      return process.isGone;
    },
    build: async (plan) => {
      // An abort ends only this session, since others are in the process.
      const bounds = { signal: never, timeoutMs, maxMemoryBytes: MAX_MEMORY_BYTES };
      const building = process.request("build", plan, bounds, session);
      working = building.catch(() => {});
      const built = await building;
      signal.throwIfAborted();
      return built;
    },
    dispose: () => (leaving ??= working.then(leave)),
  };
}
