import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { uploadHeld } from "./resumable.errors.ts";
import { finishQueue } from "./resumable-jobs.ts";
import { type ReceivedBytes, recordReceived } from "./resumable-uploads.repo.ts";
import { type Holder, holdUpload, releaseHold, renewHold } from "./upload-holds.repo.ts";

/** A hold lasts longer than this, if bytes come. */
const RENEW_MS = 2_000;

type HoldDeps = Pick<Deps, "db" | "jobs" | "node">;

/** Has one request at a time write to an upload: across nodes by its row, within this process also until its file is closed. */
export class UploadHolds {
  readonly #byUpload = new Map<string, UploadHold>();

  /** @throws {AppError} 423 if another request writes */
  async take(deps: HoldDeps, uploadId: string, offset: number): Promise<UploadHold> {
    const { id: nodeId, bootId } = deps.node;
    const holder = { nodeId, bootId, id: Bun.randomUUIDv7() };
    if (!(await holdUpload(deps.db, uploadId, offset, holder))) throw heldElsewhere();
    // The former request brought nothing for seconds, so it lost the row. It must not write any more.
    for (let former = this.#byUpload.get(uploadId); former; former = this.#byUpload.get(uploadId)) {
      former.lose();
      await former.ended;
    }
    const hold = new UploadHold(deps, uploadId, holder, () => this.#byUpload.delete(uploadId));
    this.#byUpload.set(uploadId, hold);
    return hold;
  }

  /** Resolves when a request whose sender is gone has recorded what it got, within a bound. */
  async settle(uploadId: string): Promise<void> {
    const hold = this.#byUpload.get(uploadId);
    if (hold?.isEnding) await Promise.race([hold.ended, Bun.sleep(2_000)]);
  }
}

function heldElsewhere(): AppError {
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
  #cameSince = false;
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
    this.#cameSince = true;
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
    if (!this.#cameSince) return;
    this.#cameSince = false;
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
