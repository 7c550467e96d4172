import type { Deps } from "../../../deps.ts";
import { uploadInterrupted } from "../../../holdings/uploads/uploads.errors.ts";
import { AppError } from "../../../http/app-error.ts";
import type { Recheck } from "../../../http/while-allowed.ts";
import { bodyBytes } from "../../../runtime/body-bytes.ts";
import type { Reservation } from "../../../storage/disk/disk-room.ts";
import { isAbsent } from "../../../storage/disk/fs-failure.ts";
import { uploadTooLarge } from "../ingest.errors.ts";
import { formatSize, receiveBytes } from "../receive-upload.ts";
import type { SpoolRoom } from "../spool-writer.ts";
import type { UploadSlot } from "../upload-slots.ts";
import { BytesLost, type ChunkSum, type Landing } from "./arriving-bytes.ts";
import { chunkDiffers, offsetDiffers, resumableNotFound } from "./resumable.errors.ts";
import { findResumable, setBack } from "./resumable-uploads.repo.ts";
import type { ResumableUpload, UploadScope } from "./resumable-uploads.table.ts";
import { expiryAfter } from "./upload-expiry.ts";
import { heldElsewhere, isHeldElsewhere, type UploadHold, type UploadHolds } from "./upload-hold.ts";

/** A long request is saved after so many bytes, or after so long, so that a crash loses no more. */
const STEP_BYTES = 16 * 1024 * 1024;
const STEP_MS = 5_000;

/** What is reserved at once for bytes that have not come. */
const MAX_RESERVED_BYTES = 16 * 1024 * 1024;

export type AppendDeps = Pick<Deps, "arriving" | "db" | "jobs" | "node" | "clock" | "disk"> & {
  holds: UploadHolds;
};

/** Bytes for an upload, as a request brings them. */
export interface Appended {
  uploadId: string;
  /** Where the sender believes the upload to be. */
  offset: number;
  body: ReadableStream<Uint8Array> | null;
  /** The length that the request announced, if it did. */
  lengthBytes: number | undefined;
  /** Hex SHA-256 of the body: what differs is not kept, and what is cut off neither. */
  sha256: string | undefined;
  address: string;
  /** Asks whether the sender may still send, while bytes come. @throws {AppError} */
  recheck: Recheck;
}

/**
 * Adds a request's bytes to an upload. Bytes count once they are on stable storage, also if the request is cut off later or its
 * sender loses access. Returns the upload's new offset. The last byte has the upload taken in.
 * @throws {AppError} as `recheck` does; 404, 409, 413, 423, 460, `upload.interrupted`
 * @throws {DiskFull}
 */
export async function appendToUpload(
  deps: AppendDeps,
  sender: UploadScope,
  appended: Appended,
  slot: UploadSlot,
): Promise<Pick<ResumableUpload, "receivedBytes" | "expiresAt">> {
  const { uploadId: id, offset, body, lengthBytes = 0 } = appended;
  const now = deps.clock.now();
  const { accountId, deliveryId } = sender;
  const taken = await deps.holds.take(deps, { accountId, deliveryId, id, offset, now });
  if (!taken) return await findWhole(deps, sender, appended);
  await using hold = taken.hold;
  const { upload } = taken;
  if (lengthBytes > upload.sizeBytes - offset) throw tooLong(upload);
  using room = await LandingRoom.open(deps, lengthBytes);
  await using landing = await openLanding(deps, upload, room);
  const receiving = new Receiving(deps, upload, landing, hold, appended);
  await receiving.run(body ?? new Blob().stream(), slot).catch(async (cause) => {
    // Whoever ends an upload removes its bytes, also while more come.
    const isEnded = isAbsent(cause) && !(await findResumable(deps.db, sender, id, now));
    throw isEnded ? new AppError(resumableNotFound, { cause }) : cause;
  });
  return { receivedBytes: receiving.savedOffset, expiresAt: receiving.expiresAt };
}

/** Finds a whole upload whose last bytes a request sends again. @throws {AppError} why any other upload was not held */
async function findWhole(
  { db, clock }: AppendDeps,
  sender: UploadScope,
  { uploadId, offset, lengthBytes = 0 }: Appended,
): Promise<ResumableUpload> {
  const upload = await findResumable(db, sender, uploadId, clock.now());
  if (!upload) throw new AppError(resumableNotFound);
  if (offset !== upload.receivedBytes) throw new AppError(offsetDiffers);
  if (lengthBytes > upload.sizeBytes - offset) throw tooLong(upload);
  if (upload.state === "receiving") throw heldElsewhere();
  return upload;
}

/** @throws {AppError} 409 if bytes are gone */
async function openLanding(deps: AppendDeps, upload: ResumableUpload, room: SpoolRoom): Promise<Landing> {
  try {
    return await deps.arriving.open(upload, room);
  } catch (error) {
    if (error instanceof BytesLost) await assertKept(deps, upload);
    throw error;
  }
}

/** Sets an upload back whose file lost bytes, so that its sender goes on from there. */
export async function assertKept(
  { db, arriving }: Pick<AppendDeps, "db" | "arriving">,
  upload: ResumableUpload,
): Promise<void> {
  const keptBytes = await arriving.countKept(upload);
  if (keptBytes === upload.receivedBytes) return;
  await setBack(db, upload.id, upload.receivedBytes, keptBytes);
  throw new AppError(offsetDiffers, { cause: new BytesLost("bytes of an upload are gone") });
}

function tooLong({ sizeBytes }: ResumableUpload): AppError {
  return new AppError(uploadTooLarge, { values: { maximum: formatSize(sizeBytes) } });
}

/** One request's body on its way to stable storage. */
class Receiving {
  savedOffset: number;
  expiresAt: Date;
  #offset: number;
  #stepOffset: number;
  #stepAtMs = performance.now();
  /** Whether saved bytes may not be recorded, so that none after them may be. */
  #isUnsure = false;
  /** The step that is being saved while more bytes come. */
  #step: Promise<void> | undefined;

  constructor(
    private readonly deps: AppendDeps,
    private readonly upload: ResumableUpload,
    private readonly landing: Landing,
    private readonly hold: UploadHold,
    private readonly appended: Appended,
  ) {
    this.savedOffset = this.#offset = this.#stepOffset = appended.offset;
    this.expiresAt = upload.expiresAt;
  }

  async run(body: ReadableStream<Uint8Array>, slot: UploadSlot): Promise<void> {
    const { sha256, lengthBytes } = this.appended;
    const sum = sha256 === undefined ? undefined : this.landing.openSum();
    if (!sum) this.landing.sumVolume();
    try {
      await this.#receive(body, slot, sum);
      // Some servers end the stream of a body that was cut off as if it were whole.
      if (lengthBytes !== undefined && this.#offset - this.appended.offset < lengthBytes)
        throw new AppError(uploadInterrupted, { detail: "cut off" });
    } catch (error) {
      this.hold.isEnding = true;
      // What is promised a checksum can't be told from what is damaged before it is whole.
      if (!sum) await this.#save({ isEnd: true });
      throw error;
    }
    this.hold.isEnding = true;
    if (sum && (await sum.digest()) !== sha256) throw new AppError(chunkDiffers);
    await this.#save({ isEnd: true });
  }

  async #receive(
    body: ReadableStream<Uint8Array>,
    slot: UploadSlot,
    sum: ChunkSum | undefined,
  ): Promise<void> {
    const { upload, landing, hold } = this;
    const signal = AbortSignal.any([slot.signal, hold.signal]);
    const onReceived = (bytes: number) => {
      slot.countReceived(bytes);
      hold.came();
    };
    for await (const piece of receiveBytes(body, { signal, onReceived })) {
      const { length } = piece;
      await this.appended.recheck();
      if (this.#offset + length > upload.sizeBytes) throw tooLong(upload);
      sum?.update(piece);
      await landing.give(piece);
      this.#offset += length;
      // The engine collects the pieces of one body in time, and those of many bodies in a row too late.
      bodyBytes.letGo(length);
      if (!sum && this.#isStep()) await this.#beginStep();
    }
  }

  #isStep(): boolean {
    const bytes = this.#offset - this.#stepOffset;
    if (bytes >= STEP_BYTES) return true;
    return bytes >= this.landing.minStepBytes && performance.now() - this.#stepAtMs >= STEP_MS;
  }

  /** Begins to save what came, once the step before is saved. Resolves when more may be added. */
  async #beginStep(): Promise<void> {
    await this.#step;
    this.#stepOffset = this.#offset;
    this.#stepAtMs = performance.now();
    const step = this.#saveAdded({ isEnd: false });
    step.catch(() => {}); // thrown to the next step, or at the end
    if (this.landing.savesWhileAdding) this.#step = step;
    else await step;
  }

  async #save({ isEnd }: { isEnd: boolean }): Promise<void> {
    await this.#step;
    if (this.#offset > this.savedOffset && !this.#isUnsure) await this.#saveAdded({ isEnd });
  }

  async #saveAdded({ isEnd }: { isEnd: boolean }): Promise<void> {
    const { deps, hold, landing, upload } = this;
    const { end: offset, added, replaced } = await landing.save();
    const expiresAt = expiryAfter(deps.clock.now());
    const isComplete = offset === upload.sizeBytes;
    try {
      await hold.record({
        offset,
        expiresAt,
        address: this.appended.address,
        isComplete,
        isEnd,
        added,
        replaced: replaced.map(({ id }) => id),
      });
    } catch (error) {
      this.#isUnsure = true;
      // After any other failure they may be recorded, and hold bytes that the sender was told of.
      if (isHeldElsewhere(error)) await deps.arriving.drop(added).catch(() => {}); // removed with the upload at the latest
      throw error;
    }
    await deps.arriving.drop(replaced).catch(() => {}); // as above
    this.savedOffset = offset;
    this.expiresAt = expiresAt;
  }
}

/** Disk space for the bytes of one request, reserved as they come: a slow sender must not hold the disk. */
export class LandingRoom implements SpoolRoom, Disposable {
  #takenBytes = 0;

  private constructor(private readonly reservation: Reservation) {}

  /** @throws {DiskFull} if what is announced would not fit now */
  static async open({ disk }: Pick<Deps, "disk">, bytes: number): Promise<LandingRoom> {
    const reservation = await disk.reserve(bytes);
    reservation.settle();
    return new LandingRoom(reservation);
  }

  async take(bytes: number): Promise<void> {
    this.#takenBytes += bytes;
    if (this.reservation.leftBytes >= bytes) return;
    // No more than it has brought, since the rest may never come.
    const step = Math.max(bytes, Math.min(this.#takenBytes, MAX_RESERVED_BYTES));
    await this.reservation.extendUpTo(step, bytes);
  }

  wrote(bytes: number): void {
    this.reservation.spend(bytes);
  }

  [Symbol.dispose](): void {
    this.reservation[Symbol.dispose]();
  }
}
