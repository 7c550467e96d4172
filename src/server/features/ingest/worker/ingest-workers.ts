import { stat } from "node:fs/promises";
import { join } from "node:path";
import { MIB } from "../../../../shared/units.ts";
import type { ZipLimits } from "../../../../shared/zip/zip-error.ts";
import type { RequestBounds } from "../../../processes/killable-process.ts";
import type { Logger } from "../../../runtime/log.ts";
import { ArrivingSums } from "./arriving-sums.ts";
import type { Guess, IngestSession } from "./ingest-session.ts";
import { openShared } from "./open-shared.ts";
import { removeInflated } from "./remove-inflated.ts";
import { MAX_SHARED_BYTES, SharedProcess } from "./shared-process.ts";
import { laneAfter, laneOf, MAX_WEIGHT_BYTES, Overdue } from "./work-lanes.ts";
import { IngestBusy, IngestRefused } from "./worker.errors.ts";
import type { GuessedVolume, IngestLimits, OpenedSpool, ScanResult } from "./worker-messages.ts";
import { type PooledProcess, WorkerProcesses } from "./worker-processes.ts";
import { type Lane, type Place, type Worker, WorkerQueue } from "./worker-queue.ts";

const MAX_WAITING = 1000;
/** A ZIP of no more bytes and weight is scanned as soon as a process has it, without being asked: most are this small. */
const SCANNED_AT_ONCE_BYTES = 8 * MIB;
/** The time for giving an upload to a worker, which includes starting a process on a busy machine, and for reading it at once. */
const HANDOVER_TIMEOUT_MS = 30_000;

export interface IngestWorkersOptions {
  /**
   * Processes of one upload each at once, at least 2; up to two more run when some work long while other uploads wait. Beside them
   * one may run that small uploads share.
   */
  size: number;
  /** How many of them work on small uploads at most (all). */
  smallAtOnce?: number;
  log: Pick<Logger, "info" | "warn">;
  /**
   * Starts a worker. Without it the entry is run from source; the compiled executable names itself and a
   * subcommand that imports `ingest-worker.ts`.
   */
  command?: readonly string[];
  handoverTimeoutMs?: number;
}

export interface SessionOptions {
  whose?: Worker;
  /** Of the spool, if it is known. */
  sizeBytes?: number;
  /**
   * Writes the spool again as it was received. With it, a small upload may share a process with others; if that is lost, the upload
   * is begun again in a process of its own.
   */
  restore?: () => Promise<void>;
}

export interface IngestWorkers {
  /**
   * Waits for a worker and gives it the spooled ZIP. `uploadFolder` must exist; a session writes only there. An abort ends the
   * session at once, or, if it shares its process, after the step under way. An upload that turns out to be much work waits for its turn
   * among such uploads, and is then begun again.
   * @throws {IngestBusy} when too many uploads wait already
   */
  open(
    uploadFolder: string,
    spoolPath: string,
    limits: IngestLimits,
    signal: AbortSignal,
    options?: SessionOptions,
  ): Promise<IngestSession>;
  /**
   * Sums the file at `path`, which has no byte yet, while it is written. `undefined` while another file is summed: one process at a
   * time does so, beside the places of the uploads.
   */
  sumArriving(path: string, limits: ZipLimits): ArrivingSums | undefined;
  /** Ends all sessions. */
  close(): Promise<void>;
}

interface Spool {
  spoolPath: string;
  sizeBytes: number;
  limits: IngestLimits;
}

/** Worker processes that start when needed and end after a minute without uploads. */
export function createIngestWorkers(options: IngestWorkersOptions): IngestWorkers {
  return new ProcessPool(options);
}

const NOBODY: Worker = { account: "", kind: "" };

/** An upload, and who brought it. */
interface Work {
  whose: Worker;
  uploadFolder: string;
  spool: Spool;
  signal: AbortSignal;
}

/** A place and a process for it. */
interface Turn {
  place: Place;
  pooled: PooledProcess;
  /** Set once the process is taken away from the upload; resolves when it works for it no more. */
  ended?: Promise<void>;
  /** What the process answered when it was given the upload. */
  opened: OpenedSpool;
  /** Whether the process holds little and does nothing, so that it can go on with another upload as it is. */
  isLight: boolean;
  /** Makes `controller` abort the scan once others have waited too long for this place. */
  watchScan(controller: AbortController | undefined): void;
}

class ProcessPool implements IngestWorkers {
  readonly #queue: WorkerQueue;
  readonly #processes: WorkerProcesses;
  readonly #closing = new AbortController();
  readonly #shared: SharedProcess;
  readonly #handoverTimeoutMs: number;
  #isGuessing = false;
  #isSumming = false;

  constructor({ size, smallAtOnce, log, command, handoverTimeoutMs }: IngestWorkersOptions) {
    this.#handoverTimeoutMs = handoverTimeoutMs ?? HANDOVER_TIMEOUT_MS;
    this.#queue = new WorkerQueue(size, MAX_WAITING, smallAtOnce);
    const processes = {
      log,
      signal: this.#closing.signal,
      command: command ?? [process.execPath, join(import.meta.dir, "ingest-worker.ts")],
    };
    this.#processes = new WorkerProcesses(processes);
    this.#shared = new SharedProcess({ ...processes, maxWaiting: MAX_WAITING });
  }

  async open(
    uploadFolder: string,
    spoolPath: string,
    limits: IngestLimits,
    signal: AbortSignal,
    { whose = NOBODY, restore, ...known }: SessionOptions = {},
  ): Promise<IngestSession> {
    const sizeBytes = known.sizeBytes ?? (await stat(spoolPath)).size;
    if (this.#queue.isFull) throw new IngestBusy("too many uploads wait for a worker");
    const anySignal = AbortSignal.any([signal, this.#closing.signal]);
    const work: Work = { whose, uploadFolder, spool: { spoolPath, sizeBytes, limits }, signal: anySignal };
    const isShared = restore !== undefined && sizeBytes <= Math.min(MAX_SHARED_BYTES, limits.maxHeldBytes);
    const openAlone = () => this.#openAlone(work);
    const small = { whose, uploadFolder, spoolPath, limits, signal: anySignal };
    return (
      (isShared && (await openShared(this.#shared, small, { restore, openAlone }))) || (await openAlone())
    );
  }

  async #openAlone(work: Work): Promise<IngestSession> {
    const { uploadFolder, spool, signal } = work;
    let turn = await this.#begin(work, laneOf(spool.sizeBytes)).catch((error) => {
      if (!isSlow(error)) throw error;
      // What takes long although it weighs little, such as a deflated data set, is read among large uploads.
      return this.#begin(work, "large");
    });
    return {
      inflatedBytes: turn.opened.inflatedBytes,
      scan: async (guessed) => {
        if (turn.opened.scan) return turn.opened.scan;
        for (;;) {
          try {
            return await this.#scan(turn, work, guessed);
          } catch (error) {
            const lane = laneAfter(error, turn.place.lane);
            if (!lane) throw error;
            await this.#end(turn);
            await removeInflated(uploadFolder);
            turn = await this.#begin(work, lane);
          }
        }
      },
      build: async (plan) => {
        const wasLight = turn.isLight;
        turn.isLight = false;
        const bounds = boundsOf(spool, signal);
        const built = await turn.pooled.process.request("build", plan, bounds);
        turn.isLight = wasLight;
        return built;
      },
      dispose: () => this.#end(turn),
    };
  }

  /** Waits for a place and hands the upload to a process. */
  async #begin(work: Work, lane: Lane): Promise<Turn> {
    const { whose, uploadFolder, spool, signal } = work;
    let scanning: AbortController | undefined;
    const onOverdue = (place: Place) => {
      // Only a scan can be begun again, since it has changed nothing yet.
      if (scanning && place.lane === "small") scanning.abort(new Overdue());
      else place.moveTo(place.lane === "small" ? "large" : "huge");
    };
    const place = await this.#queue.enter({ ...whose, lane, onOverdue }, signal);
    const pooled = this.#processes.take();
    const turn: Turn = {
      place,
      pooled,
      isLight: false,
      opened: { inflatedBytes: 0 },
      watchScan(controller) {
        scanning = controller;
      },
    };
    try {
      const { spoolPath, sizeBytes, limits } = spool;
      const opening = { ...boundsOf(spool, signal), timeoutMs: this.#handoverTimeoutMs };
      const isGuessed = sizeBytes >= limits.minGuessedBytes;
      const maxSmallBytes = Math.min(SCANNED_AT_ONCE_BYTES, limits.maxHeldBytes);
      const isSmall = lane === "small" && !isGuessed && sizeBytes <= maxSmallBytes;
      const scannedAtOnceBytes = isSmall ? SCANNED_AT_ONCE_BYTES : 0;
      const body = { uploadFolder, spoolPath, limits, scannedAtOnceBytes };
      turn.opened = await pooled.process.request("open", body, opening);
      turn.isLight = turn.opened.scan !== undefined;
      place.begin();
      return turn;
    } catch (error) {
      await this.#end(turn);
      throw error;
    }
  }

  // The turn is asked and not the process, which may work for another upload by now.
  #end(turn: Turn): Promise<void> {
    turn.ended ??= this.#takeAway(turn);
    return turn.ended;
  }

  async #takeAway({ pooled, isLight, place }: Turn): Promise<void> {
    await this.#processes.giveBack(pooled, isLight);
    place.leave();
  }

  async close(): Promise<void> {
    this.#closing.abort(new IngestBusy("the server is stopping"));
    await Promise.all([this.#processes.killAll(), this.#shared.killAll()]);
  }

  /** Runs `guessVolume` at the same time: a second core and the disk are idle while a large upload is read. */
  async #scan(
    { pooled, place, watchScan }: Turn,
    work: Work,
    known: GuessedVolume | undefined,
  ): Promise<ScanResult & Guess> {
    const { spool, signal } = work;
    const cancel = new AbortController();
    const bounds = boundsOf(spool, AbortSignal.any([signal, cancel.signal]));
    // An upload succeeds without the guess.
    const guessing = known ? Promise.resolve(known) : this.#guess(spool, bounds).catch(() => undefined);
    watchScan(cancel);
    try {
      const maxWeightBytes = MAX_WEIGHT_BYTES[place.lane];
      const scan = await pooled.process.request("scan", { maxWeightBytes }, bounds);
      watchScan(undefined);
      const guessed = await guessing;
      return { ...scan, ...(guessed && { guessed }) };
    } catch (error) {
      cancel.abort(error);
      // The guess may read the spool until it ends.
      await guessing;
      throw error;
    } finally {
      watchScan(undefined);
    }
  }

  /** Guesses in a process outside the queue's places, hence for one upload at a time. */
  async #guess({ spoolPath, sizeBytes, limits }: Spool, bounds: RequestBounds) {
    if (sizeBytes < limits.minGuessedBytes || this.#isGuessing) return undefined;
    this.#isGuessing = true;
    const pooled = this.#processes.take();
    try {
      const volumeId = Bun.randomUUIDv7();
      return await pooled.process.request("guess", { spoolPath, volumeId, limits }, bounds);
    } finally {
      await this.#processes.giveBack(pooled);
      this.#isGuessing = false;
    }
  }

  sumArriving(path: string, { maxEntries }: ZipLimits): ArrivingSums | undefined {
    if (this.#isSumming || this.#closing.signal.aborted) return undefined;
    this.#isSumming = true;
    const pooled = this.#processes.take();
    const begun = { path, volumeId: Bun.randomUUIDv7(), maxEntries };
    return new ArrivingSums(pooled.process, begun, {
      bounds: { signal: this.#closing.signal, timeoutMs: this.#handoverTimeoutMs },
      leave: async () => {
        await this.#processes.giveBack(pooled);
        this.#isSumming = false;
      },
    });
  }
}

/** Whether an upload could not be read in the time that it had. */
function isSlow(error: unknown): boolean {
  return error instanceof IngestRefused && error.failure === "worker.slow";
}

function boundsOf(
  { limits: { timeoutMs, maxMemoryBytes } }: Pick<Spool, "limits">,
  signal: AbortSignal,
): RequestBounds {
  return { signal, timeoutMs, maxMemoryBytes };
}
