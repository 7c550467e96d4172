import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { enqueueFinish } from "./enqueue-finish.ts";
import { RestingUploads } from "./resting-uploads.ts";
import { uploadHeld } from "./resumable.errors.ts";
import { type ReceivedBytes, recordReceived } from "./resumable-uploads.repo.ts";
import type { ResumableUpload } from "./resumable-uploads.table.ts";
import {
  HELD_SECONDS,
  type Holder,
  holdUpload,
  releaseHold,
  renewHold,
  type WantedUpload,
} from "./upload-holds.repo.ts";

/** A hold lasts longer than this, if bytes come. */
const RENEW_MS = 2_000;

/** A request that brings nothing for so long is idle. */
const QUIET_MS = 300;
const SETTLE_LOOKS = 7;

type HoldDeps = Pick<Deps, "arriving" | "db" | "jobs" | "node">;

/** Has one request at a time write to an upload: across nodes by its row, within this process also until its file is closed. */
export class UploadHolds {
  readonly #byUpload = new Map<string, UploadHold>();
  readonly #resting = new RestingUploads();

  /** Returns `undefined` if the caller has no such upload, it stands elsewhere, it is whole, or another request writes. */
  async take(
    deps: HoldDeps,
    { id, ...of }: WantedUpload,
  ): Promise<{ upload: ResumableUpload; hold: UploadHold } | undefined> {
    const wanted = { id: id.toLowerCase(), ...of };
    const running = this.#byUpload.get(wanted.id);
    if (running?.keepsOut) return undefined;
    const rested = running ? undefined : this.#resting.take(wanted);
    if (rested) return this.#begin(deps, rested.upload, rested.holder, { isTold: false });
    const { id: nodeId, bootId } = deps.node;
    const holder = { nodeId, bootId, id: Bun.randomUUIDv7() };
    const upload = await holdUpload(deps.db, wanted, holder);
    if (!upload) return undefined;
    const uploadId = upload.id;
    // The former request brought nothing for seconds, so it lost the row. It must not write any more.
    for (let former = this.#byUpload.get(uploadId); former; former = this.#byUpload.get(uploadId)) {
      former.lose();
      await former.ended;
    }
    this.#resting.forget(uploadId);
    return this.#begin(deps, upload, holder, { isTold: true });
  }

  #begin(
    deps: HoldDeps,
    upload: ResumableUpload,
    holder: Holder,
    { isTold }: { isTold: boolean },
  ): { upload: ResumableUpload; hold: UploadHold } {
    const hold = new UploadHold(deps, upload, {
      holder,
      isTold,
      leave: (rested) => {
        this.#byUpload.delete(upload.id);
        if (rested) this.#resting.add({ upload: rested, holder });
      },
    });
    this.#byUpload.set(upload.id, hold);
    return { upload, hold };
  }

  /** Tells that an upload ended, so that no request goes on with it from memory. */
  forget(uploadId: string): void {
    this.#resting.forget(uploadId);
  }

  /**
   * Resolves when a request whose sender is gone has recorded what it got, within a bound. A request that brings nothing while its
   * sender asks again has lost its line, even if nobody told the server.
   */
  async settle(uploadId: string): Promise<void> {
    const hold = this.#byUpload.get(uploadId);
    if (!hold) return;
    for (let looks = 0; looks < SETTLE_LOOKS; looks++) {
      const { pieces } = hold;
      const isOver = await Promise.race([hold.ended.then(() => true), Bun.sleep(QUIET_MS)]);
      if (isOver) return;
      if (hold.pieces === pieces && !hold.isEnding) hold.lose();
    }
  }
}

export function heldElsewhere(): AppError {
  return new AppError(uploadHeld, { retryAfterSeconds: 1 });
}

export function isHeldElsewhere(error: unknown): boolean {
  return error instanceof AppError && error.kind === uploadHeld;
}

interface HoldOptions {
  holder: Holder;
  /** Whether the row tells other processes that the upload is held. */
  isTold: boolean;
  /** Called at the end, with the upload as it stands if it may rest. */
  leave: (rested: ResumableUpload | undefined) => void;
}

/** The right of one request to write to an upload. */
export class UploadHold implements AsyncDisposable {
  /** Whether no more bytes will come. */
  isEnding = false;
  readonly ended: Promise<void>;
  readonly #losing = new AbortController();
  readonly #renewing: Timer;
  readonly #end: () => void;
  /** Pieces of its body that came. */
  pieces = 0;
  #renewedPieces = 0;
  #isReleased = false;
  /** The upload as it stands once this hold is released, if it may rest. */
  #rested: ResumableUpload | undefined;
  readonly #beganAt = performance.now();

  constructor(
    private readonly deps: HoldDeps,
    private readonly upload: ResumableUpload,
    private readonly options: HoldOptions,
  ) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = () => {
      options.leave(this.#rested);
      resolve();
    };
    this.#renewing = setInterval(() => void this.#renew(), RENEW_MS);
  }

  /** Aborts when another request took the upload. */
  get signal(): AbortSignal {
    return this.#losing.signal;
  }

  /** Whether no other request may have the upload yet although its row does not say so. A renewal tells the row. */
  get keepsOut(): boolean {
    if (this.options.isTold || this.#isReleased) return false;
    return performance.now() - this.#beganAt < HELD_SECONDS * 1000;
  }

  /** Tells that bytes came, for which the hold is renewed. */
  came(): void {
    this.pieces++;
  }

  lose(): void {
    this.#losing.abort(heldElsewhere());
  }

  /** Records bytes that are durable; the last ones enqueue the job. @throws {AppError} 423 if another request took the upload */
  async record(received: Omit<ReceivedBytes, "isResting">): Promise<void> {
    const { db, jobs, arriving } = this.deps;
    const { id: uploadId } = this.upload;
    const isResting = arriving.isAlone && received.isEnd && !received.isComplete;
    const write = async (tx: Tx | typeof db): Promise<boolean> =>
      await recordReceived(tx, uploadId, this.options.holder, { ...received, isResting });
    const isRecorded =
      received.isComplete || received.added.length > 0
        ? await db.transaction(async (tx) => {
            if (!(await write(tx))) return false;
            if (received.isComplete) await enqueueFinish(jobs, tx, uploadId);
            return true;
          })
        : await write(db);
    if (!isRecorded) throw heldElsewhere();
    this.#isReleased = received.isEnd || received.isComplete;
    const { offset: receivedBytes, expiresAt } = received;
    if (isResting) this.#rested = { ...this.upload, receivedBytes, expiresAt };
  }

  async #renew(): Promise<void> {
    if (this.pieces === this.#renewedPieces) return;
    this.#renewedPieces = this.pieces;
    try {
      if (!(await renewHold(this.deps.db, this.upload.id, this.options.holder))) this.lose();
    } catch {
      // The next renewal, or recording, tells whether it is still held.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#renewing);
    try {
      if (!this.#isReleased) await releaseHold(this.deps.db, this.upload.id, this.options.holder);
    } catch {
      // It ends by itself after some seconds.
    } finally {
      this.#end();
    }
  }
}
