import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { uploadHeld } from "./resumable.errors.ts";
import { finishQueue } from "./resumable-jobs.ts";
import { type ReceivedBytes, recordReceived } from "./resumable-uploads.repo.ts";
import type { ResumableUpload } from "./resumable-uploads.table.ts";
import { type Holder, holdUpload, releaseHold, renewHold, type WantedUpload } from "./upload-holds.repo.ts";

/** A hold lasts longer than this, if bytes come. */
const RENEW_MS = 2_000;

/** A request that brings nothing for so long is idle. */
const QUIET_MS = 300;
const SETTLE_LOOKS = 7;

type HoldDeps = Pick<Deps, "db" | "jobs" | "node">;

/** Has one request at a time write to an upload: across nodes by its row, within this process also until its file is closed. */
export class UploadHolds {
  readonly #byUpload = new Map<string, UploadHold>();

  /** Returns `undefined` if the caller has no such upload, it stands elsewhere, it is whole, or another request writes. */
  async take(
    deps: HoldDeps,
    wanted: WantedUpload,
  ): Promise<{ upload: ResumableUpload; hold: UploadHold } | undefined> {
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
    const hold = new UploadHold(deps, uploadId, holder, () => this.#byUpload.delete(uploadId));
    this.#byUpload.set(uploadId, hold);
    return { upload, hold };
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

  constructor(
    private readonly deps: HoldDeps,
    private readonly uploadId: string,
    private readonly holder: Holder,
    leave: () => void,
  ) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = () => {
      leave();
      resolve();
    };
    this.#renewing = setInterval(() => void this.#renew(), RENEW_MS);
  }

  /** Aborts when another request took the upload. */
  get signal(): AbortSignal {
    return this.#losing.signal;
  }

  /** Tells that bytes came, for which the hold is renewed. */
  came(): void {
    this.pieces++;
  }

  lose(): void {
    this.#losing.abort(heldElsewhere());
  }

  /** Records bytes that are durable; the last ones enqueue the job. @throws {AppError} 423 if another request took the upload */
  async record(received: ReceivedBytes): Promise<void> {
    const { db, jobs } = this.deps;
    const write = async (tx: Tx | typeof db): Promise<boolean> =>
      await recordReceived(tx, this.uploadId, this.holder, received);
    const isRecorded =
      received.isComplete || received.added.length > 0
        ? await db.transaction(async (tx) => {
            if (!(await write(tx))) return false;
            const { uploadId } = this;
            if (received.isComplete)
              await jobs.enqueue(finishQueue, { uploadId }, { tx, singletonKey: uploadId });
            return true;
          })
        : await write(db);
    if (!isRecorded) throw heldElsewhere();
    this.#isReleased = received.isEnd || received.isComplete;
  }

  async #renew(): Promise<void> {
    if (this.pieces === this.#renewedPieces) return;
    this.#renewedPieces = this.pieces;
    try {
      if (!(await renewHold(this.deps.db, this.uploadId, this.holder))) this.lose();
    } catch {
      // The next renewal, or recording, tells whether it is still held.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#renewing);
    try {
      if (!this.#isReleased) await releaseHold(this.deps.db, this.uploadId, this.holder);
    } catch {
      // It ends by itself after some seconds.
    } finally {
      this.#end();
    }
  }
}
