import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_ZIP_LIMITS } from "../../../archive/zip-reader.ts";
import type { Logger } from "../../../log.ts";
import type { RequestBounds } from "../../../processes/killable-process.ts";
import { IngestBusy } from "./worker.errors.ts";
import type {
  BuildPlan,
  BuiltUpload,
  GuessedVolume,
  IngestLimits,
  OpenedSpool,
  ScanResult,
} from "./worker-messages.ts";
import { WorkerProcess } from "./worker-process.ts";
import { WorkerQueue } from "./worker-queue.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Uploads up to this size go ahead of larger ones. */
const SMALL_UPLOAD_BYTES = 64 * MIB;

export const DEFAULT_INGEST_LIMITS: IngestLimits = {
  ...DEFAULT_ZIP_LIMITS,
  maxEntryBytes: 4 * GIB,
  maxInflatedBytes: 64 * GIB,
  maxHeldBytes: 32 * MIB,
  maxInstances: 100_000,
  maxStudies: 10_000,
  maxMetadataBytes: 2 * GIB - MIB,
  maxHeldMetadataBytes: 128 * MIB,
  maxIndexBytes: 192 * MIB,
  maxSkippedNames: 1000,
  minGuessedBytes: SMALL_UPLOAD_BYTES,
  timeoutMs: 15 * 60_000,
};

const MAX_WAITING = 1000;
const IDLE_MS = 60_000;
/** What giving a worker an upload, or taking it away, may take: the start of a process on a busy machine. */
const HANDOVER_TIMEOUT_MS = 30_000;
/** A process is replaced after so many uploads, so that nothing it leaks can grow. */
const MAX_UPLOADS_PER_PROCESS = 500;

export interface IngestWorkersOptions {
  /** Processes at once, at least 2. */
  size: number;
  log: Pick<Logger, "info" | "warn">;
  /**
   * Starts a worker. Without it the entry is run from source; the compiled executable names itself and a
   * subcommand that imports `ingest-worker.ts`.
   */
  command?: readonly string[];
}

/** One upload in a worker of its own, from {@link IngestWorkers.open} to `dispose`. */
export interface IngestSession {
  /** What a scan takes on the disk, at most. */
  readonly inflatedBytes: number;
  /** Reads the whole ZIP. @throws {IngestRefused} */
  scan(): Promise<ScanResult & Guess>;
  /**
   * Writes volumes and manifests into the upload's folder; again, after another upload was committed meanwhile,
   * with a newer plan: what the last build wrote is removed first. @throws {IngestRefused}
   */
  build(plan: BuildPlan): Promise<BuiltUpload>;
  /** Frees the worker; idempotent. The files stay: the folder is the caller's. */
  dispose(): Promise<void>;
}

/** With the scan of a large upload: what it may become, found out meanwhile. */
export interface Guess {
  guessed?: GuessedVolume;
}

export interface IngestWorkers {
  /**
   * Waits for a worker and gives it the spooled ZIP. `uploadFolder` must exist; whatever a session writes, it
   * writes there. An abort ends the session at once, whatever it is doing.
   * @throws {IngestBusy} where too many uploads wait already
   */
  open(
    uploadFolder: string,
    spoolPath: string,
    limits: IngestLimits,
    signal: AbortSignal,
  ): Promise<IngestSession>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

interface Spool {
  spoolPath: string;
  sizeBytes: number;
  limits: IngestLimits;
}

interface PooledProcess {
  process: WorkerProcess;
  uploads: number;
  idleTimer?: Timer;
}

/** A pool of worker processes, started as they are needed and ended when nothing came for a minute. */
export function createIngestWorkers(options: IngestWorkersOptions): IngestWorkers {
  return new ProcessPool(options);
}

class ProcessPool implements IngestWorkers {
  readonly #queue: WorkerQueue;
  readonly #log: IngestWorkersOptions["log"];
  readonly #command: readonly string[];
  readonly #idle: PooledProcess[] = [];
  readonly #busy = new Set<PooledProcess>();
  readonly #closing = new AbortController();
  #isGuessing = false;

  constructor({ size, log, command }: IngestWorkersOptions) {
    this.#queue = new WorkerQueue(size, MAX_WAITING);
    this.#log = log;
    this.#command = command ?? [process.execPath, join(import.meta.dir, "ingest-worker.ts")];
  }

  async open(
    uploadFolder: string,
    spoolPath: string,
    limits: IngestLimits,
    signal: AbortSignal,
  ): Promise<IngestSession> {
    const { size: sizeBytes } = await stat(spoolPath);
    const lane = sizeBytes <= SMALL_UPLOAD_BYTES ? "small" : "large";
    if (this.#queue.isFull) throw new IngestBusy("too many uploads wait for a worker");
    const anySignal = AbortSignal.any([signal, this.#closing.signal]);
    const leave = await this.#queue.enter(lane, anySignal);
    const pooled = this.#take();
    const bounds = { signal: anySignal, timeoutMs: limits.timeoutMs };
    let isHeld = true;
    const dispose = async () => {
      // Not by the process: it may be somebody else's by now.
      if (!isHeld) return;
      isHeld = false;
      this.#busy.delete(pooled);
      await this.#giveBack(pooled);
      leave();
    };
    let opened: OpenedSpool;
    try {
      const opening = { signal: anySignal, timeoutMs: HANDOVER_TIMEOUT_MS };
      opened = await pooled.process.request("open", { uploadFolder, spoolPath, limits }, opening);
    } catch (error) {
      await dispose();
      throw error;
    }
    return {
      inflatedBytes: opened.inflatedBytes,
      scan: () => this.#scan(pooled, { spoolPath, sizeBytes, limits }, bounds),
      build: (plan) => pooled.process.request("build", plan, bounds),
      dispose,
    };
  }

  async close(): Promise<void> {
    this.#closing.abort(new IngestBusy("the server is stopping"));
    const all = [...this.#idle.splice(0), ...this.#busy];
    for (const { process, idleTimer } of all) {
      clearTimeout(idleTimer);
      process.kill();
    }
    await Promise.all(all.map(({ process }) => process.exited));
  }

  /** With {@link guessVolume} beside it: a second core and the disk would be idle while a large upload is read. */
  async #scan(pooled: PooledProcess, spool: Spool, bounds: RequestBounds): Promise<ScanResult & Guess> {
    const cancel = new AbortController();
    const signal = AbortSignal.any([bounds.signal, cancel.signal]);
    // Where it fails the upload is taken without it.
    const guessing = this.#guess(spool, { ...bounds, signal }).catch(() => undefined);
    try {
      const scan = await pooled.process.request("scan", {}, bounds);
      const guessed = await guessing;
      return { ...scan, ...(guessed && { guessed }) };
    } catch (error) {
      cancel.abort(error);
      // Until it is gone it may read the spool.
      await guessing;
      throw error;
    }
  }

  /** By a process beyond the places of the queue, and so for one upload at a time. */
  async #guess({ spoolPath, sizeBytes, limits }: Spool, bounds: RequestBounds) {
    if (sizeBytes < limits.minGuessedBytes || this.#isGuessing) return undefined;
    this.#isGuessing = true;
    const pooled = this.#take();
    try {
      const volumeId = Bun.randomUUIDv7();
      return await pooled.process.request("guess", { spoolPath, volumeId, limits }, bounds);
    } finally {
      this.#busy.delete(pooled);
      await this.#giveBack(pooled);
      this.#isGuessing = false;
    }
  }

  #take(): PooledProcess {
    let pooled = this.#idle.pop();
    while (pooled?.process.isGone) pooled = this.#idle.pop();
    pooled ??= { process: new WorkerProcess(this.#command), uploads: 0 };
    clearTimeout(pooled.idleTimer);
    pooled.uploads++;
    this.#busy.add(pooled);
    return pooled;
  }

  async #giveBack(pooled: PooledProcess): Promise<void> {
    const { process } = pooled;
    if (process.isGone) {
      // Killed, it may still be in a system call: whoever removes its folder must come after.
      await process.exited;
      this.#log.warn("ingest.worker_lost", { uploads: pooled.uploads });
      return;
    }
    try {
      const releasing = { signal: this.#closing.signal, timeoutMs: HANDOVER_TIMEOUT_MS };
      await process.request("dispose", {}, releasing);
    } catch (error) {
      process.kill();
      this.#log.warn("ingest.worker_lost", { error: error instanceof Error ? error.name : "" });
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
}
