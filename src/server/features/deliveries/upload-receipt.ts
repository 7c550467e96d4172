import { uploadAnswerSchema } from "../../../shared/api/upload.ts";
import { isUuid } from "../../../shared/uuid.ts";
import { AppError } from "../../http/app-error.ts";
import type { Session } from "../../http/session.ts";
import { resumableNotFound } from "../ingest/resumable/resumable.errors.ts";
import { findResumable } from "../ingest/resumable/resumable-uploads.repo.ts";
import { senderOfSession } from "../ingest/resumable/upload-sender.ts";
import type { ReceiptDeps } from "../receipts/make-receipt.ts";
import { type FoundReceipt, receiptOfStudy } from "../receipts/read-receipt.ts";
import { receiptOfDelivered } from "../receipts/receipt-of-delivered.ts";
import { receiptNotFound, receiptNotReady } from "../receipts/receipts.errors.ts";
import { findVisibleStudies } from "../studies/studies.repo.ts";
import { findDelivery } from "./deliveries.repo.ts";

const RETRY_AFTER_SECONDS = 2;

/**
 * The receipt of a study that an upload brought, the first unless `reference` names another, for whoever sent it.
 * @throws {AppError} `upload.not_found`, `receipt.not_ready` while it is read, `receipt.not_found` if it brought nothing that is still
 *   there; as {@link receiptOfDelivered}
 */
export async function readUploadReceipt(
  deps: ReceiptDeps,
  session: Session,
  id: string,
  reference: string | undefined,
): Promise<FoundReceipt> {
  const sender = senderOfSession(session);
  const upload = isUuid(id) ? await findResumable(deps.db, sender, id, deps.clock.now()) : undefined;
  if (!upload) throw new AppError(resumableNotFound);
  if (upload.state === "receiving" || upload.state === "processing")
    throw new AppError(receiptNotReady, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  const answer = uploadAnswerSchema.safeParse(upload.result);
  const { studies } = answer.success ? answer.data : { studies: [] };
  const brought = reference
    ? studies.find(({ id, studyInstanceUID }) => id === reference || studyInstanceUID === reference)
    : studies[0];
  const owner = { userId: upload.accountId, role: "user" } as const;
  const [study] = brought ? await findVisibleStudies(deps.db, owner, [brought.id]) : [];
  if (!brought || !study) throw new AppError(receiptNotFound);
  if (upload.deliveryId === null) return { study, receipt: await receiptOfStudy(deps, study) };
  const delivery = await findDelivery(deps.db, upload.deliveryId);
  if (!delivery?.receivedAt) throw new AppError(receiptNotFound);
  const { sender: from, receivedAt, volumeIds } = delivery;
  const images = brought.imagesReceived + brought.duplicates;
  return { study, receipt: await receiptOfDelivered(deps, study, { from, receivedAt, volumeIds, images }) };
}
