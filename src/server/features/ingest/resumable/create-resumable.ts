import { isInForce } from "../../../../shared/rules/subscription.ts";
import type { DbOrTx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { subscriptionRequired } from "../../../http/guard.ts";
import { findUser } from "../../accounts/users/users.repo.ts";
import { hasUnsoundStudy } from "../../studies/integrity.repo.ts";
import { findStoredStudies } from "../../studies/study-contents.repo.ts";
import { findStorageQuota } from "../../subscriptions/storage.repo.ts";
import { storageExceeded } from "../../subscriptions/storage-quota.ts";
import { examLimitReached, trialLimitReached } from "../../subscriptions/subscriptions.errors.ts";
import { findSubscriptionWithPlan } from "../../subscriptions/subscriptions.repo.ts";
import { uploadMissing, uploadTooLarge } from "../ingest.errors.ts";
import { formatSize } from "../receive-upload.ts";
import { asToldToDeliverer } from "./account-full.ts";
import type { DeliveryGate } from "./delivery-gate.ts";
import { endOldFinished } from "./ended-resumables.repo.ts";
import type { Creation } from "./parse-tus.ts";
import { measureOpen, sumOutstanding } from "./reserved-bytes.repo.ts";
import { tooManyOpenUploads } from "./resumable.errors.ts";
import { insertResumable, lockCreation } from "./resumable-uploads.repo.ts";
import type { ResumableUpload } from "./resumable-uploads.table.ts";
import { expiryAfter } from "./upload-expiry.ts";
import type { UploadSender } from "./upload-sender.ts";

const MAX_OPEN_UPLOADS = 20;
/** Older ones need not be dismissed. */
const MAX_FINISHED_UPLOADS = 100;

export interface NewUpload extends Creation {
  address: string;
}

/**
 * Records an upload whose bytes will come later, and reserves room for them.
 * @throws {AppError} `upload.too_large`, `upload.missing`, `upload.too_many_open`, `quota.*`
 * @throws {DiskFull}
 */
export async function createResumable(
  deps: Pick<Deps, "db" | "clock" | "config" | "disk" | "store"> & { gate: DeliveryGate },
  sender: UploadSender,
  input: NewUpload,
): Promise<ResumableUpload> {
  const { sizeBytes } = input;
  const { maxUploadBytes } = deps.config;
  if (sizeBytes > maxUploadBytes)
    throw new AppError(uploadTooLarge, { values: { maximum: formatSize(maxUploadBytes) } });
  if (sizeBytes === 0) throw new AppError(uploadMissing);
  const now = deps.clock.now();
  const { accountId, deliveryId, from } = sender;
  const created = deps.db.transaction(async (tx) => {
    await lockCreation(tx, accountId);
    if (deliveryId !== null) await deps.gate.admit(tx, deliveryId);
    const open = await measureOpen(tx, sender);
    if (open.uploads >= MAX_OPEN_UPLOADS)
      throw new AppError(tooManyOpenUploads, { values: { count: open.uploads }, retryAfterSeconds: 60 });
    await assertQuotas(tx, sender, input, open.bytes, now);
    await assertDiskFits(deps, tx, sizeBytes, now);
    await endOldFinished(tx, accountId, MAX_FINISHED_UPLOADS, now);
    return await insertResumable(tx, {
      id: Bun.randomUUIDv7(),
      accountId,
      deliveryId,
      receivedFrom: from,
      filename: input.filename,
      form: input.form,
      metadata: input.metadata,
      address: input.address,
      sizeBytes,
      receivedBytes: 0,
      state: "receiving",
      createdAt: now,
      expiresAt: expiryAfter(now),
    });
  });
  return await created.catch((error: unknown) => {
    throw deliveryId !== null && error instanceof AppError ? asToldToDeliverer(error) : error;
  });
}

/**
 * Refuses what the plan can't keep, as far as it is known now; the commit decides. What heals a study, or adds to one that the form
 * names, needs no exam more.
 */
async function assertQuotas(
  db: DbOrTx,
  { accountId, deliveryId }: UploadSender,
  { sizeBytes, form }: NewUpload,
  reservedBytes: number,
  now: Date,
): Promise<void> {
  const owner = await findUser(db, accountId);
  if (owner?.role === "admin") return;
  const found = await findSubscriptionWithPlan(db, accountId);
  if (!found || !isInForce(found.subscription, now)) throw new AppError(subscriptionRequired);
  if (await hasUnsoundStudy(db, accountId)) return;
  const quota = await findStorageQuota(db, accountId);
  if (quota && quota.usedBytes + reservedBytes + sizeBytes > quota.limitBytes) throw storageExceeded(quota);
  const { plan, subscription } = found;
  if (subscription.examCount < plan.examLimit) return;
  const { studyInstanceUID } = form;
  if (
    deliveryId === null &&
    studyInstanceUID &&
    (await findStoredStudies(db, accountId, [studyInstanceUID])).size > 0
  )
    return;
  const isTrial = plan.slug === "avaliacao";
  throw new AppError(isTrial ? trialLimitReached : examLimitReached, {
    values: { count: subscription.examCount },
  });
}

/** A disk keeps what arrives: all that open uploads may still bring has to fit. */
async function assertDiskFits(
  { disk, store }: Pick<Deps, "disk" | "store">,
  db: DbOrTx,
  sizeBytes: number,
  now: Date,
): Promise<void> {
  if (store.kind !== "disk") return await disk.checkUploads();
  using _ = await disk.reserve(sizeBytes + (await sumOutstanding(db, now)));
}
