import type { Deps } from "../../deps.ts";
import { DiskFull, type Reservation } from "../../storage/disk/disk-room.ts";
import { hasUnsoundStudy } from "../studies/integrity.repo.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { findStorageQuota, type StorageQuota } from "../subscriptions/storage.repo.ts";
import type { StorageClaim } from "../subscriptions/storage-claims.ts";
import { storageExceeded } from "../subscriptions/storage-quota.ts";
import type { Uploader } from "./upload-slots.ts";

/** What the parts of a form need beside the file in it. */
export const MULTIPART_OVERHEAD_BYTES = 1024 * 1024;
/** A body that does not say how long it is gets room by steps as large as what has come of it, up to this. */
const MAX_STEP_BYTES = 64 * 1024 * 1024;

/** A body that would take longer than this has the disk promised by what it sends, whatever length it announced. */
const PROMISED_MS = 3600_000;
/** So long a body has to show its pace. */
const PACE_AFTER_MS = 60_000;

/** Where a body is written down as it comes. */
export interface SpoolRoom {
  /** Before so many more bytes are written. @throws {DiskFull} @throws {AppError} `quota.bytes` */
  take(bytes: number): Promise<void>;
  /** Once they are. */
  wrote(bytes: number): void;
}

/**
 * What one upload may still write: reserved on this node's disk, and claimed of the account's plan, before it is written.
 * Disposed, it gives both back.
 */
export class UploadRoom implements SpoolRoom, Disposable {
  #receivedBytes = 0;
  #cameBytes = 0;
  readonly #openedAt: number;

  private constructor(
    private readonly deps: Pick<Deps, "db" | "clock">,
    private readonly accountId: string,
    private readonly reservation: Reservation,
    private readonly claim: StorageClaim,
    /** Whether the plan has no room for as much as comes, and the commit is to say what is kept of it. */
    private mayHeal: boolean,
    /** What is promised of the disk for the length that the body announced; 0 where nothing is. */
    private promisedBytes: number,
  ) {
    this.#openedAt = deps.clock.now().getTime();
  }

  /**
   * Room for a body of `lengthBytes`, 0 where it does not say. A trial account costs nothing to make, and so does saying
   * that much will come: it gets the disk by what it sends, as a body that says nothing of its length. So does, from then
   * on, a body that would not end within an hour at its pace: announcing a length and sending slowly holds no disk.
   * @throws {DiskFull}
   * @throws {AppError} `quota.bytes` where a body so long can't fit, before any of it is read, in an account of which nothing
   *   is damaged: what heals a study takes no more than was kept of it
   */
  static async open(
    deps: Pick<Deps, "db" | "clock" | "disk" | "storageClaims">,
    { userId }: Caller,
    lengthBytes: number,
    { isTrial }: Pick<Uploader, "isTrial">,
  ): Promise<UploadRoom> {
    using opened = new DisposableStack();
    const quota = await findStorageQuota(deps.db, userId);
    const claim = opened.use(deps.storageClaims.open(userId, quota));
    const mayHeal = await claimBody(deps, userId, claim, lengthBytes);
    const reservation = await deps.disk.reserve(lengthBytes);
    if (isTrial) reservation.settle();
    opened.move();
    return new UploadRoom(deps, userId, reservation, claim, mayHeal, isTrial ? 0 : lengthBytes);
  }

  async take(bytes: number): Promise<void> {
    this.#receivedBytes += bytes;
    if (!this.mayHeal)
      this.mayHeal = await claimBody(this.deps, this.accountId, this.claim, this.#receivedBytes);
    if (this.reservation.leftBytes >= bytes) return;
    const step = Math.max(bytes, Math.min(this.#receivedBytes, MAX_STEP_BYTES));
    await this.reservation.extend(step).catch(async (error) => {
      if (!(error instanceof DiskFull) || step === bytes) throw error;
      await this.reservation.extend(bytes);
    });
  }

  wrote(bytes: number): void {
    this.reservation.spend(bytes);
  }

  /** So many bytes of the body came, whatever part of it they are. */
  came(bytes: number): void {
    this.#cameBytes += bytes;
    if (this.promisedBytes === 0) return;
    const elapsedMs = this.deps.clock.now().getTime() - this.#openedAt;
    if (elapsedMs < PACE_AFTER_MS) return;
    if ((this.promisedBytes / this.#cameBytes) * elapsedMs <= PROMISED_MS) return;
    this.promisedBytes = 0;
    this.reservation.settle();
  }

  /** Runs `work`, which writes up to `bytes` on the disk before it ends. @throws {DiskFull} */
  async during<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    this.reservation.settle();
    if (bytes > 0) await this.reservation.extend(bytes);
    try {
      return await work();
    } finally {
      this.reservation.settle();
    }
  }

  /** What the plan holds in all; infinite where nothing limits the account. */
  get limitBytes(): number {
    return this.claim.limitBytes;
  }

  /**
   * Claims what an upload that takes up to `mostBytes` at rest may take: less where the plan has not room for all of it,
   * since some may be there already.
   */
  async claimAtRest(mostBytes: number): Promise<number> {
    if (mostBytes > this.claim.roomBytes) this.claim.refresh(await this.#quota());
    const bytes = Math.min(mostBytes, this.claim.roomBytes);
    this.claim.hold(bytes);
    return bytes;
  }

  /** The failure of an upload that needs more at rest than it could claim. */
  async exceeded(): Promise<unknown> {
    const quota = await this.#quota();
    return quota && storageExceeded(quota);
  }

  async #quota(): Promise<StorageQuota | undefined> {
    return await findStorageQuota(this.deps.db, this.accountId);
  }

  /** From now on the commit counts what the upload brings. */
  endClaim(): void {
    this.claim[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.endClaim();
    this.reservation[Symbol.dispose]();
  }
}

/** Claims a body of `lengthBytes`; `true` where it may be more than the plan has room for. @throws {AppError} `quota.bytes` */
async function claimBody(
  { db }: Pick<Deps, "db">,
  accountId: string,
  claim: StorageClaim,
  lengthBytes: number,
): Promise<boolean> {
  try {
    claim.hold(lengthBytes - MULTIPART_OVERHEAD_BYTES);
    return false;
  } catch (error) {
    if (await hasUnsoundStudy(db, accountId)) return true;
    throw error;
  }
}
