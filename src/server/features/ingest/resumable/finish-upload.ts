import { uploadMetadataSchema } from "../../../../shared/api/upload.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { uploadInterrupted } from "../../../holdings/uploads/uploads.errors.ts";
import { AppError } from "../../../http/app-error.ts";
import { subscriptionRequired } from "../../../http/guard.ts";
import { archiveDamaged, internal, storageFull } from "../../../http/http.errors.ts";
import type { JobRun } from "../../../jobs/jobs.ts";
import { describeError } from "../../../runtime/log.ts";
import { DiskFull, isOutOfSpace } from "../../../storage/disk/disk-room.ts";
import { StoreUnavailable } from "../../../storage/object-store.ts";
import { findUser } from "../../accounts/users/users.repo.ts";
import type { SettledUpload } from "../finished-upload.ts";
import { tooManyUploads } from "../ingest.errors.ts";
import { measureUpload } from "../measure-upload.ts";
import { type IngestDeps, takeUpload, type UploadSource } from "../take-upload.ts";
import { answerOf } from "../upload-answer.ts";
import { createUploadSlots } from "../upload-slots.ts";
import { ALL_VARIANTS } from "../worker/ingest-limits.ts";
import { IngestRefused } from "../worker/worker.errors.ts";
import { asToldToDeliverer } from "./account-full.ts";
import { BytesLost } from "./arriving-bytes.ts";
import type { DeliveryGate } from "./delivery-gate.ts";
import { endWithDirectory } from "./end-with-directory.ts";
import { giveBack, noteHeldBack } from "./growing-uploads.repo.ts";
import { finishQueue } from "./resumable-queues.ts";
import { settleProcessing, takeForProcessing } from "./resumable-uploads.repo.ts";
import type { ResumableUpload } from "./resumable-uploads.table.ts";
import { storeProblem } from "./stored-problem.ts";
import { removeResumableBytes } from "./sweep-resumables.ts";
import type { Holder } from "./upload-holds.repo.ts";

/** A reason that lasts this long may be in the upload itself. */
const MAX_ATTEMPTS = 30;
/** An attempt that takes too long has had a worker for a quarter of an hour. */
const MAX_SLOW_ATTEMPTS = 3;
/**
 * An upload that ends its worker each time is to blame; a want of memory, or a store's wrong answer, passes within the minute that so many
 * attempts take.
 */
const MAX_LOST_ATTEMPTS = 6;
/** After so many attempts an upload waits without a job for what is away: a job would be given up some day. */
const MAX_WAITING_ATTEMPTS = 6;

export type FinishDeps = IngestDeps & Pick<Deps, "arriving" | "meters"> & { gate: DeliveryGate };

/**
 * Takes in an upload that is whole, as `POST /api/upload-dicom` does, and records what became of it in the same transaction. May be
 * killed anywhere and run again. A reason that may pass is thrown, so that the job is tried again.
 */
export async function finishUpload(deps: FinishDeps, uploadId: string, run: JobRun): Promise<void> {
  const holder = { nodeId: deps.node.id, bootId: deps.node.bootId, id: Bun.randomUUIDv7() };
  const taken = await deps.db.transaction((tx) => takeForProcessing(tx, uploadId, holder));
  if (!taken) return;
  const { upload } = taken;
  try {
    await takeWhole(deps, upload, { holder, run, isFirst: taken.isFirst });
  } catch (error) {
    run.signal.throwIfAborted();
    if (waitsForPlace(deps, upload, error)) {
      if (run.attempt < MAX_WAITING_ATTEMPTS) throw error;
      deps.log.warn("upload.waits_for_place", describeError(error));
      return await giveBack(deps.db, uploadId, holder);
    }
    if (upload.receiverId !== null) return await holdBack(deps, upload, { holder, run }, error);
    const lasting = new AppError(isFull(error) ? storageFull : internal);
    const isRefused = !mayBeThere(deps, error) || run.attempt >= MAX_LOST_ATTEMPTS;
    const problem =
      (isRefused ? refusalOf(error) : undefined) ?? (run.attempt >= attemptsFor(error) ? lasting : undefined);
    if (!problem) {
      // Its sender hears of it now, and not after half an hour.
      if (isFull(error)) await noteHeldBack(deps.db, uploadId, holder, storeProblem(lasting, uploadId));
      throw error;
    }
    deps.log.info("upload.refused", { problem: problem.kind.code, ...describeError(error) });
    const told = upload.deliveryId === null ? problem : asToldToDeliverer(problem);
    await settleProcessing(deps.db, uploadId, holder, { problem: storeProblem(told, uploadId) });
  }
  await removeResumableBytes(deps, uploadId).catch((error) =>
    deps.log.warn("upload.leftovers", describeError(error)),
  );
}

/**
 * Whether to go on trying, with another job each minute, however long the store is away: for as long as somebody could have sent the
 * upload, and what a DICOM sender brought for ever, which also waits for room on the disk. Bytes on this node's own disk need no other
 * store to come back.
 */
function waitsForPlace(
  { arriving, clock }: FinishDeps,
  { receiverId, expiresAt }: ResumableUpload,
  error: unknown,
): boolean {
  const isAway = !arriving.isAlone && error instanceof StoreUnavailable;
  if (receiverId !== null) return isAway || isFull(error);
  return isAway && clock.now() < expiresAt;
}

/** Whether bytes that were not found, or differ, may read right later: a store may answer wrong for a moment. A file does not. */
function mayBeThere({ arriving }: FinishDeps, error: unknown): boolean {
  return !arriving.isAlone && error instanceof BytesLost;
}

function isFull(error: unknown): boolean {
  if (error instanceof AppError) return error.kind === storageFull;
  return error instanceof DiskFull || isOutOfSpace(error);
}

/**
 * A sender was told that these instances are kept: they wait for room in the plan, and any other reason is tried again. One that may
 * pass is tried for ever, with another job once this one is given up; the last that was given up tells the admin of it.
 */
async function holdBack(
  deps: FinishDeps,
  { id }: ResumableUpload,
  { holder, run }: Pick<FinishRun, "holder" | "run">,
  error: unknown,
): Promise<void> {
  const problem = refusalOf(error);
  if (!problem && run.attempt > finishQueue.rules.retryLimit)
    await deps.db.transaction((tx) => deps.jobs.forget({ uploadId: id }, new Date(0), tx));
  const isAboutPlan = problem?.kind.code.startsWith("quota.") || problem?.kind === subscriptionRequired;
  if (!problem || !isAboutPlan) throw error;
  deps.log.warn("upload.held_back", { problem: problem.kind.code });
  await noteHeldBack(deps.db, id, holder, storeProblem(problem, id));
}

interface FinishRun {
  holder: Holder;
  run: JobRun;
  isFirst: boolean;
}

async function takeWhole(
  deps: FinishDeps,
  upload: ResumableUpload,
  { holder, run, isFirst }: FinishRun,
): Promise<void> {
  const { accountId, deliveryId, id, sizeBytes } = upload;
  // Its sender was told of each instance that it is kept.
  const isOfReceiver = upload.receiverId !== null;
  const user = await findUser(deps.db, accountId);
  if (!user) throw new AppError(uploadInterrupted, { detail: "the account is gone" });
  const caller = { userId: user.id, role: user.role };
  using slot = createUploadSlots({ perAccount: 1, perProcess: 1 }).take({ accountId, isTrial: user.isTrial });
  const origin = {
    address: upload.address ?? "",
    requestId: id,
    ...(deliveryId !== null && { actorId: null, details: { deliveryId } }),
  };
  const settle = async (tx: Tx, stored: SettledUpload) => {
    // Before the upload's own row, as whoever ends its request locks them.
    if (deliveryId !== null) await deps.gate.settle(tx, deliveryId, stored);
    const isSettled = await settleProcessing(tx, id, holder, { result: answerOf(stored) });
    if (!isSettled) throw new AppError(uploadInterrupted, { detail: "another run has it" });
    if (isOfReceiver && stored.built.studies.some(({ leftOut }) => leftOut.length > 0))
      throw new AppError(archiveDamaged, { detail: "instances of a damaged series wait until it is whole" });
  };
  const source: UploadSource = {
    lengthBytes: deps.arriving.placedBytes(upload),
    signal: run.signal,
    settle,
    ...(isOfReceiver && { limits: { maxVariants: ALL_VARIANTS } }),
    spool: async (path, room) => {
      const placed = await deps.arriving.place(upload, path, { room, signal: run.signal, isFirst });
      // The form of somebody who delivers does not rename what the account keeps already.
      const form = uploadMetadataSchema.safeParse(deliveryId === null ? upload.form : {});
      const zipBytes = isOfReceiver ? endWithDirectory(path, sizeBytes) : sizeBytes;
      return { ...placed, metadata: form.success ? form.data : {}, sizeBytes: zipBytes };
    },
  };
  await measureUpload(deps.meters.uploads, { receivedBytes: sizeBytes }, () =>
    takeUpload(deps, { caller, origin, slot, receivedFrom: upload.receivedFrom ?? undefined }, source),
  );
}

/** The failure to record for good; `undefined` if the reason may pass. */
function refusalOf(error: unknown): AppError | undefined {
  if (error instanceof BytesLost) return new AppError(uploadInterrupted, { cause: error });
  if (!(error instanceof AppError) || error.kind.status >= 500) return undefined;
  return error.kind === uploadInterrupted || error.kind === tooManyUploads ? undefined : error;
}

/** How often an upload is tried that fails for this reason at last. */
function attemptsFor(error: unknown): number {
  const refused = error instanceof AppError ? error.options.cause : error;
  if (!(refused instanceof IngestRefused)) return MAX_ATTEMPTS;
  if (refused.failure === "worker.slow") return MAX_SLOW_ATTEMPTS;
  return refused.failure === "worker.lost" ? MAX_LOST_ATTEMPTS : MAX_ATTEMPTS;
}
