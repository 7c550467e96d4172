import type { Deps } from "../../deps.ts";
import type { Reservation } from "../../storage/disk/disk-room.ts";
import { hasUnsoundStudy } from "../studies/integrity.repo.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { findStorageQuota, type StorageQuota } from "../subscriptions/storage.repo.ts";
import type { StorageClaim } from "../subscriptions/storage-claims.ts";
import { storageExceeded } from "../subscriptions/storage-quota.ts";
import { sumReserved } from "./resumable/reserved-bytes.repo.ts";
import type { SpoolRoom } from "./spool-writer.ts";
import type { Uploader } from "./upload-slots.ts";

/** Bytes of a form beside the file in it. */
export const MULTIPART_OVERHEAD_BYTES = 1024 * 1024;
/** A body of unknown length gets room in steps; each step is as large as what arrived so far, up to this. */
const MAX_STEP_BYTES = 64 * 1024 * 1024;

/** A body that would take longer than this gets disk space as its bytes arrive, whatever length it announced. */
const PROMISED_MS = 3600_000;
/** The pace of a body is judged after this time. */
const PACE_AFTER_MS = 60_000;

/**
 * The room that one upload may still fill: reserved on this node's disk and claimed from the account's plan before bytes are
 * written. Disposal gives both back.
 */
export class UploadRoom implements SpoolRoom, Disposable {
  #receivedBytes = 0;
  #cameBytes = 0;
  /** By {@link Deps.elapsedMs}. */
  readonly #openedAtMs: number;

  private constructor(
    private readonly deps: Pick<Deps, "db" | "elapsedMs">,
    private readonly caller: Caller,
    private readonly reservation: Reservation,
    private readonly claim: StorageClaim,
    /** Whether the body exceeds the plan's room, so that the commit decides how much of it is kept. */
    private mayHeal: boolean,
    /** Disk space reserved for the length that the body announced; 0 for none. */
    private promisedBytes: number,
  ) {
    this.#openedAtMs = deps.elapsedMs();
  }

  /**
   * Opens room for a body of `lengthBytes`, 0 when the length is unknown. Making a trial account and announcing a length both cost
   * nothing, so a trial's body gets disk space as its bytes arrive, like one of unknown length. A body that would take over an hour
   * at its pace gets disk space in the same way from then on, so that a slow sender cannot hold the disk.
   * @throws {DiskFull}
   * @throws {AppError} `quota.bytes` when a body of this length cannot fit, before any of it is read. An account with damaged
   *   studies is exempt: what heals a study takes no more room than the study had
   */
  static async open(
    deps: Pick<Deps, "db" | "elapsedMs" | "disk" | "storageClaims">,
    caller: Caller,
    lengthBytes: number,
    { isTrial }: Pick<Uploader, "isTrial">,
  ): Promise<UploadRoom> {
    using opened = new DisposableStack();
    const { userId } = caller;
    const quota = await quotaOf(deps, caller);
    const claim = opened.use(deps.storageClaims.open(userId, quota));
    const mayHeal = await claimBody(deps, userId, claim, lengthBytes);
    const reservation = await deps.disk.reserve(lengthBytes);
    if (isTrial) reservation.settle();
    opened.move();
    return new UploadRoom(deps, caller, reservation, claim, mayHeal, isTrial ? 0 : lengthBytes);
  }

  async take(bytes: number): Promise<void> {
    this.#receivedBytes += bytes;
    if (!this.mayHeal)
      this.mayHeal = await claimBody(this.deps, this.caller.userId, this.claim, this.#receivedBytes);
    if (this.reservation.leftBytes >= bytes) return;
    const step = Math.max(bytes, Math.min(this.#receivedBytes, MAX_STEP_BYTES));
    await this.reservation.extendUpTo(step, bytes);
  }

  wrote(bytes: number): void {
    this.reservation.spend(bytes);
  }

  /** Counts bytes of the body that arrived, whichever part they belong to. */
  countReceived(bytes: number): void {
    this.#cameBytes += bytes;
    if (this.promisedBytes === 0) return;
    const elapsedMs = this.deps.elapsedMs() - this.#openedAtMs;
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

  /** The plan's whole room in bytes; infinite for an account without a limit. */
  get limitBytes(): number {
    return this.claim.limitBytes;
  }

  /**
   * Claims room for an upload that takes up to `mostBytes` at rest and returns the bytes claimed. They are fewer when the plan has
   * less room, since a part of the upload may be stored already.
   */
  async claimAtRest(mostBytes: number): Promise<number> {
    if (mostBytes > this.claim.roomBytes) this.claim.refresh(await this.#quota());
    const bytes = Math.min(mostBytes, this.claim.roomBytes);
    this.claim.hold(bytes);
    return bytes;
  }

  /** The error for an upload that needs more at rest than it could claim. */
  async exceeded(): Promise<unknown> {
    const quota = await this.#quota();
    return quota && storageExceeded(quota);
  }

  async #quota(): Promise<StorageQuota | undefined> {
    return await quotaOf(this.deps, this.caller);
  }

  /** Gives the claim back: from now on the commit counts the upload. */
  endClaim(): void {
    this.claim[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.endClaim();
    this.reservation[Symbol.dispose]();
  }
}

async function quotaOf(
  { db }: Pick<Deps, "db">,
  { userId, role }: Caller,
): Promise<StorageQuota | undefined> {
  const quota = role === "admin" ? undefined : await findStorageQuota(db, userId);
  // What resumable uploads will bring is theirs already.
  return quota && { ...quota, usedBytes: quota.usedBytes + (await sumReserved(db, userId)) };
}

/** Claims a body of `lengthBytes`; returns `true` when it may exceed the plan's room. @throws {AppError} `quota.bytes` */
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
