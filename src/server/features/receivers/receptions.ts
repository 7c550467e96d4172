import { isDatabaseUnavailable } from "../../db/database.errors.ts";
import type { Deps } from "../../deps.ts";
import type { AssociationRequest, StoreResult } from "../../dimse/association.ts";
import { Status } from "../../dimse/command-set.ts";
import { trustPeers } from "../../http/trusted-peers.ts";
import { describeError } from "../../runtime/log.ts";
import { Turns } from "../../runtime/turns.ts";
import { DiskFull, type Reservation } from "../../storage/disk/disk-room.ts";
import { StoreRefuses } from "../../storage/object-store.ts";
import { findUser } from "../accounts/users/users.repo.ts";
import { type GrowingDeps, GrowingUpload } from "../ingest/resumable/growing-upload.ts";
import { UnclosedUploads } from "../ingest/resumable/unclosed-uploads.ts";
import { largestCrowd, longestIdle } from "./crowds.ts";
import type { DimseHandler } from "./dimse-process.ts";
import { withKeptHeader } from "./kept-header.ts";
import { countReceived, countRefused, findReceiver } from "./receivers.repo.ts";
import type { ReceiverRow } from "./receivers.table.ts";
import { ASK_PLAN_BYTES, type PendingStudies, roomInPlan } from "./room-in-plan.ts";
import type { Admission, ArrivedInstance } from "./worker/dimse-messages.ts";
import type { Party } from "./worker/instance-judge.ts";

export type ReceptionDeps = GrowingDeps & Pick<Deps, "log" | "elapsedMs" | "series">;

export const MAX_ASSOCIATIONS = 60;
export const MAX_ASSOCIATIONS_OF_ACCOUNT = 30;
/** A study appears after its association was quiet for this long. */
export const QUIET_MS = 30_000;
/** An association that was idle for this long may lose its place to another. Its sender loses nothing and opens a new one. */
export const SPARE_MS = 60_000;
/** What was received is taken in after this many instances or bytes, however busy the association is. */
const MAX_INSTANCES = 10_000;
const MAX_BYTES = 2 * 1024 * 1024 * 1024;
/** The plan's room is read again after this much time, after {@link ASK_PLAN_BYTES}, and at each new study. */
const ASK_PLAN_MS = 60_000;
/** Studies of an account that are not stored yet; an account without a limit forgets them. */
const MAX_PENDING_STUDIES = 10_000;
/** How many accounts have their studies remembered. Beyond that, those without an open association are forgotten. */
const MAX_PENDING_ACCOUNTS = 1_000;

const FULL: StoreResult = { status: Status.outOfResources, comment: "over the plan's limit" };
const NO_ROOM: StoreResult = { status: Status.outOfResources, comment: "storage is full" };
/** Its sender may try again: the database or the store is away. */
const FAILED: StoreResult = { status: Status.outOfResources, comment: "can't be kept now" };
const TOO_MANY: StoreResult = { status: Status.outOfResources, comment: "too many contents under this UID" };
const ENDED: StoreResult = { status: Status.outOfResources, comment: "the receiver is gone" };

/** The associations that this node serves. */
export class Receptions implements DimseHandler, Disposable {
  readonly #open = new Map<string, Association>();
  /** By account. */
  readonly #pending = new Map<string, PendingStudies>();
  readonly #unclosed: UnclosedUploads;

  constructor(private readonly deps: ReceptionDeps) {
    this.#unclosed = new UnclosedUploads(deps);
  }

  async admit(asked: AssociationRequest): Promise<Admission> {
    try {
      return await this.#admit(asked);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      // Its sender tries again.
      return { rejection: "congestion" };
    }
  }

  async #admit(asked: AssociationRequest): Promise<Admission> {
    const { db, clock } = this.deps;
    const receiver = await findReceiver(db, asked.calledAETitle);
    if (!receiver) return { rejection: "calledAETitleUnknown" };
    const user = await findUser(db, receiver.accountId);
    if (!user?.isAuthorized) return { rejection: "calledAETitleUnknown" };
    if (!maySend(receiver, asked)) {
      await countRefused(db, receiver.id, { at: clock.now(), ...asked });
      return { rejection: "callingAETitleUnknown" };
    }
    const sharer = user.isTrial ? "trial" : user.id;
    const place = this.#placeFor(receiver.accountId, sharer);
    if (place === undefined) return { rejection: "limitExceeded" };
    const association = Bun.randomUUIDv7();
    const [pending, unclosed] = [this.#pendingOf(receiver.accountId), this.#unclosed];
    this.#open.set(association, new Association(this.deps, { receiver, asked, sharer, pending, unclosed }));
    if (place === "free") return { association };
    await this.end(place);
    return { association, instead: place };
  }

  /**
   * Which association ends for another one of an account, if one must; undefined if none may. It is one that brings nothing or, if the
   * server is full, one of those who have the most, if that is two more than the account has: of all, or else of those it shares with.
   */
  #placeFor(accountId: string, sharer: string): "free" | string | undefined {
    const all = [...this.#open];
    const spareSince = this.deps.elapsedMs() - SPARE_MS;
    const own = all.filter(([, association]) => association.accountId === accountId);
    if (own.length >= MAX_ASSOCIATIONS_OF_ACCOUNT) return longestIdle(own, spareSince);
    if (all.length < MAX_ASSOCIATIONS) return "free";
    const spare = longestIdle(all, spareSince);
    if (spare !== undefined) return spare;
    const shared = all.filter(([, association]) => association.sharer === sharer);
    const most = largestCrowd(all, "sharer");
    if (most.length > shared.length + 1) return longestIdle(largestCrowd(most, "accountId"));
    const mostOfShared = largestCrowd(shared, "accountId");
    return mostOfShared.length > own.length + 1 ? longestIdle(mostOfShared) : undefined;
  }

  partyOf(association: string): Party | undefined {
    return this.#open.get(association);
  }

  async reserve(association: string, bytes: number): Promise<boolean> {
    return (await this.#open.get(association)?.reserve(bytes)) ?? false;
  }

  async store(instance: ArrivedInstance & { path: string }): Promise<StoreResult> {
    return (await this.#open.get(instance.association)?.store(instance)) ?? ENDED;
  }

  async end(association: string): Promise<void> {
    const ended = this.#open.get(association);
    this.#open.delete(association);
    await ended?.close();
  }

  async lost(): Promise<void> {
    for (const association of [...this.#open.keys()]) await this.end(association);
  }

  /** Ends what goes on behind the associations. */
  [Symbol.dispose](): void {
    this.#unclosed[Symbol.dispose]();
  }

  #pendingOf(accountId: string): PendingStudies {
    if (this.#pending.size >= MAX_PENDING_ACCOUNTS) this.#forgetIdle();
    const pending = this.#pending.get(accountId) ?? { uids: new Set(), turns: new Turns() };
    this.#pending.set(accountId, pending);
    return pending;
  }

  #forgetIdle(): void {
    const active = new Set([...this.#open.values()].map(({ accountId }) => accountId));
    for (const accountId of this.#pending.keys()) if (!active.has(accountId)) this.#pending.delete(accountId);
  }
}

interface Admitted extends Pick<Party, "sharer"> {
  receiver: ReceiverRow;
  asked: AssociationRequest;
  pending: PendingStudies;
  unclosed: UnclosedUploads;
}

function maySend(receiver: ReceiverRow, { callingAETitle, address }: AssociationRequest): boolean {
  const { callingAETitles, addresses } = receiver;
  if (callingAETitles.length > 0 && !callingAETitles.includes(callingAETitle)) return false;
  return addresses.length === 0 || trustPeers(addresses).has(address);
}

class Association implements Party {
  readonly accountId: string;
  readonly sharer: string;
  /** When it began, or last brought something; by {@link Deps.elapsedMs}. */
  activeAtMs: number;
  #upload: GrowingUpload | undefined;
  #quiet: Timer | undefined;
  /** Room for the instance that is arriving. */
  #arriving: Reservation | undefined;
  /** By {@link Deps.elapsedMs}, which begins near 0. */
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #checkedBytes = 0;
  #isGone = false;
  /** One after the other: instances, and the end of a quiet time. */
  readonly #turns = new Turns();

  constructor(
    private readonly deps: ReceptionDeps,
    private readonly admitted: Admitted,
  ) {
    this.accountId = admitted.receiver.accountId;
    this.sharer = admitted.sharer;
    this.activeAtMs = deps.elapsedMs();
  }

  /** Reserves room for more of the instance that is arriving, of which all that was reserved before is written. */
  reserve(bytes: number): Promise<boolean> {
    this.#noteActive();
    return this.#turns.run(async () => {
      try {
        this.#arriving ??= await this.deps.disk.reserve(0);
        this.#arriving.settle();
        await this.#arriving.extend(bytes);
        return true;
      } catch (error) {
        if (error instanceof DiskFull) return false;
        throw error;
      }
    });
  }

  store(instance: ArrivedInstance & { path: string }): Promise<StoreResult> {
    this.#noteActive();
    return this.#turns.run(async () => {
      clearTimeout(this.#quiet);
      try {
        return await this.#keep(instance);
      } catch (error) {
        // Nothing can be added to the upload that failed; what it has is taken in.
        await this.#closeUpload();
        if (error instanceof DiskFull || (error instanceof StoreRefuses && error.why === "full"))
          return NO_ROOM;
        this.deps.log.error("dimse.store_failed", describeError(error));
        return FAILED;
      } finally {
        this.#arriving?.settle();
        this.#quiet = setTimeout(() => void this.#turns.run(() => this.#closeUpload()), QUIET_MS);
        this.#quiet.unref();
        this.#noteActive();
      }
    });
  }

  close(): Promise<void> {
    return this.#turns.run(() => {
      clearTimeout(this.#quiet);
      this.#arriving?.[Symbol.dispose]();
      return this.#closeUpload();
    });
  }

  #noteActive(): void {
    this.activeAtMs = this.deps.elapsedMs();
  }

  async #keep(instance: ArrivedInstance & { path: string }): Promise<StoreResult> {
    if (this.#isGone) return ENDED;
    const { sizeBytes, studyInstanceUID } = instance;
    const room = await this.#roomFor(sizeBytes, studyInstanceUID);
    if (!room) return FULL;
    let result = ENDED;
    try {
      result = await this.#add(instance);
      return result;
    } finally {
      if (result.status !== Status.success && room.isNewStudy)
        this.admitted.pending.uids.delete(studyInstanceUID);
    }
  }

  async #add(instance: ArrivedInstance & { path: string }): Promise<StoreResult> {
    const { accountId, deps } = this;
    const { receiver, asked } = this.admitted;
    const { callingAETitle, address } = asked;
    const file = await withKeptHeader(deps, accountId, instance);
    if (!file) return TOO_MANY;
    const seen = { at: deps.clock.now(), callingAETitle, address };
    // Before anything is kept, since the receiver may have ended, or its account.
    this.#isGone = !(await countReceived(deps.db, receiver.id, 1, seen));
    if (this.#isGone) return ENDED;
    this.#upload ??= await GrowingUpload.open(deps, {
      accountId,
      receiverId: receiver.id,
      callingAETitle,
      address,
    });
    const upload = this.#upload;
    await upload.add(file);
    this.#checkedBytes += instance.sizeBytes;
    if (upload.files >= MAX_INSTANCES || upload.sizeBytes >= MAX_BYTES) await this.#closeUpload();
    return { status: Status.success };
  }

  async #closeUpload(): Promise<void> {
    const upload = this.#upload;
    this.#upload = undefined;
    try {
      await upload?.close();
    } catch (error) {
      // What was acknowledged is on stable storage.
      this.deps.log.error("dimse.close_failed", describeError(error));
      if (upload) this.admitted.unclosed.add(upload.id);
    }
  }

  /**
   * Undefined if the plan has no room for what is acknowledged now, so that it can be taken in later. A new study is pending from then on.
   */
  async #roomFor(sizeBytes: number, studyInstanceUID: string): Promise<{ isNewStudy: boolean } | undefined> {
    const nowMs = this.deps.elapsedMs();
    const { uids, turns } = this.admitted.pending;
    const isKnown = uids.has(studyInstanceUID) && nowMs - this.#checkedAtMs < ASK_PLAN_MS;
    if (isKnown && this.#checkedBytes + sizeBytes < ASK_PLAN_BYTES) return { isNewStudy: false };
    const { db } = this.deps;
    const user = await findUser(db, this.accountId);
    if (!user?.isAuthorized) return undefined;
    return await turns.run(async () => {
      if (uids.size >= MAX_PENDING_STUDIES) uids.clear();
      const isNewStudy = !uids.has(studyInstanceUID);
      const room =
        user.role === "admin"
          ? "ample"
          : await roomInPlan(this.deps, this.accountId, { uids, sizeBytes, studyInstanceUID });
      this.#checkedAtMs = nowMs;
      // Near the limit every instance asks.
      this.#checkedBytes = room === "ample" ? 0 : ASK_PLAN_BYTES;
      if (room === "none") return undefined;
      uids.add(studyInstanceUID);
      return { isNewStudy };
    });
  }
}
