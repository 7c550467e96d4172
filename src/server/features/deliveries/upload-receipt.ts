import { MAX_DELIVERY_UPLOADS } from "../../../shared/api/deliveries.ts";
import { type UploadAnswer, uploadAnswerSchema } from "../../../shared/api/upload.ts";
import { isUuid } from "../../../shared/uuid.ts";
import { AppError } from "../../http/app-error.ts";
import type { Session } from "../../http/session.ts";
import { resumableNotFound } from "../ingest/resumable/resumable.errors.ts";
import { findResumable, listResumable } from "../ingest/resumable/resumable-uploads.repo.ts";
import type { ResumableUpload } from "../ingest/resumable/resumable-uploads.table.ts";
import { senderOfSession } from "../ingest/resumable/upload-sender.ts";
import type { ReceiptDeps } from "../receipts/make-receipt.ts";
import { type FoundReceipt, receiptOfStudy } from "../receipts/read-receipt.ts";
import { receiptOfDelivered } from "../receipts/receipt-of-delivered.ts";
import type { Papered } from "../receipts/receipt-paper.ts";
import { receiptNotFound, receiptNotReady } from "../receipts/receipts.errors.ts";
import { findVisibleStudies } from "../studies/studies.repo.ts";
import { findDelivery, findShownName } from "./deliveries.repo.ts";
import { describeDelivered } from "./describe-delivered.ts";

const RETRY_AFTER_SECONDS = 2;
/** The most exams on one paper. Each further exam has a paper of its own. */
const MAX_PAPER_EXAMS = 50;

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
  const { upload, studies } = await findBrought(deps, session, id);
  const brought = reference
    ? studies.find(({ id, studyInstanceUID }) => id === reference || studyInstanceUID === reference)
    : studies[0];
  const found = brought && (await receiptOfBrought(deps, upload, brought));
  if (!found) throw new AppError(receiptNotFound);
  return found;
}

/**
 * The receipts of all studies that uploads brought and that are still there, for one paper. A study that several brought is on it once.
 * @throws {AppError} as {@link readUploadReceipt}
 */
export async function readUploadPaper(
  deps: ReceiptDeps,
  session: Session,
  ids: readonly string[],
): Promise<Papered> {
  const all = new Map<string, { upload: ResumableUpload; brought: Brought }>();
  for (const id of new Set(ids.slice(0, MAX_DELIVERY_UPLOADS))) {
    const { upload, studies } = await findBrought(deps, session, id);
    for (const brought of studies) {
      const other = all.get(brought.id)?.brought;
      // Their sum may count an instance that both brought twice.
      if (!other || countSent(brought) > countSent(other)) all.set(brought.id, { upload, brought });
    }
  }
  const receipts: FoundReceipt[] = [];
  for (const { upload, brought } of [...all.values()].slice(0, MAX_PAPER_EXAMS)) {
    const found = await receiptOfBrought(deps, upload, brought).catch(ignoreMissing);
    if (found) receipts.push(found);
  }
  const [first] = all.values();
  if (!first || receipts.length === 0) throw new AppError(receiptNotFound);
  const { deliveryId } = first.upload;
  const to = deliveryId === null ? undefined : await findShownName(deps.db, deliveryId);
  return { receipts, to };
}

/** Ignores an exam of which the upload brought nothing, because all of it was there already. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof AppError && error.kind === receiptNotFound) return undefined;
  throw error;
}

type Brought = UploadAnswer["studies"][number];

/** Instances that an upload brought or that were there already, each counted once. */
function countSent({ imagesReceived, duplicates, repeats = duplicates }: Brought): number {
  return imagesReceived + duplicates - repeats;
}

/** Instances of a study that the uploads of a delivery brought: each was new when it came, so that none counts twice. */
async function countBrought(deps: ReceiptDeps, upload: ResumableUpload, studyId: string): Promise<number> {
  const all = await listResumable(deps.db, upload, deps.clock.now(), MAX_DELIVERY_UPLOADS);
  return all.reduce((sum, { result }) => {
    const brought = studiesOf(result).find(({ id }) => id === studyId);
    return sum + (brought?.imagesReceived ?? 0);
  }, 0);
}

function studiesOf(result: unknown): Brought[] {
  const answer = uploadAnswerSchema.safeParse(result);
  return answer.success ? answer.data.studies : [];
}

/** @throws {AppError} `upload.not_found`, `receipt.not_ready` */
async function findBrought(
  deps: ReceiptDeps,
  session: Session,
  id: string,
): Promise<{ upload: ResumableUpload; studies: Brought[] }> {
  const sender = senderOfSession(session);
  const upload = isUuid(id) ? await findResumable(deps.db, sender, id, deps.clock.now()) : undefined;
  if (!upload) throw new AppError(resumableNotFound);
  if (upload.state === "receiving" || upload.state === "processing")
    throw new AppError(receiptNotReady, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  return { upload, studies: studiesOf(upload.result) };
}

/** `undefined` if the study is gone. */
async function receiptOfBrought(
  deps: ReceiptDeps,
  upload: ResumableUpload,
  brought: Brought,
): Promise<FoundReceipt | undefined> {
  const owner = { userId: upload.accountId, role: "user" } as const;
  const [study] = await findVisibleStudies(deps.db, owner, [brought.id]);
  if (!study) return undefined;
  if (upload.deliveryId === null) return { study, receipt: await receiptOfStudy(deps, study) };
  const delivery = await findDelivery(deps.db, upload.deliveryId);
  if (!delivery?.receivedAt) return undefined;
  const { sender: from, receivedAt, volumeIds, uploads } = delivery;
  const ofAll = uploads > 1 ? await countBrought(deps, upload, brought.id) : 0;
  const images = Math.max(countSent(brought), ofAll);
  const delivered = { from, receivedAt, volumeIds, images };
  const { receipt, isOfWhole } = await receiptOfDelivered(deps, study, delivered);
  if (!isOfWhole) return { study: await describeDelivered(deps, study, volumeIds), receipt };
  // What the owner has written over the images' own values is theirs.
  return { study: { ...study, ...study.instanceValues }, receipt };
}
