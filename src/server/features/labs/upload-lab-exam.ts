import type { LabExam, LabUpload } from "../../../shared/api/labs.ts";
import type { Deps } from "../../deps.ts";
import { storeDocument } from "../../holdings/uploads/store-document.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { chargeExams } from "../subscriptions/charge-exams.ts";
import { assertStorageFits } from "../subscriptions/storage-quota.ts";
import { lockSubscription } from "../subscriptions/subscriptions.repo.ts";
import { insertLabExam } from "./labs.repo.ts";
import { presentLabExam } from "./present-lab-exam.ts";

/**
 * Stores a laboratory PDF; it counts as one lab exam of the plan.
 * @throws {AppError} `quota.*`, `subscription.required`
 */
export async function uploadLabExam(
  deps: Pick<Deps, "db" | "disk" | "node" | "store" | "clock" | "log">,
  session: Session,
  input: LabUpload & { pdf: Uint8Array },
  origin: RequestOrigin,
): Promise<LabExam> {
  const { userId } = session;
  await assertStorageFits(deps.db, { id: userId, isCaller: true }, input.pdf.length);
  return await storeDocument(deps, userId, input.pdf, async (tx, document) => {
    // The lock comes before the time is read, so that a cancellation runs either wholly before (this upload is refused) or wholly
    // after (it removes this exam too).
    await lockSubscription(tx, userId);
    const now = deps.clock.now();
    const { id, key, sizeBytes, sha256 } = document;
    await chargeExams(tx, { userId, isAdmin: false }, { kind: "lab", count: 1, bytes: sizeBytes }, now);
    const row = {
      id,
      accountId: userId,
      key,
      sizeBytes,
      sha256,
      createdAt: now,
      name: input.examName,
      modality: input.modality,
      examDate: input.examDate || null,
    };
    await insertLabExam(tx, row);
    await recordAudit(tx, {
      at: now,
      action: "lab.uploaded",
      actorId: userId,
      accountId: userId,
      details: { id },
      ...origin,
    });
    return presentLabExam(row);
  });
}
