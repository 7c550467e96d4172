import type { Deps } from "../../deps.ts";
import { insertStoredObjects } from "../../holdings/objects/stored-objects.repo.ts";
import { storeDocument } from "../../holdings/uploads/store-document.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { byAccount } from "../../mail/mail-budget.ts";
import { aboutStudy, recordAudit } from "../audit/audit.repo.ts";
import { type NotifyDeps, notify } from "../notifications/notify.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { checkIfUnsound } from "../studies/check-if-unsound.ts";
import { studyNotFound } from "../studies/studies.errors.ts";
import { type Caller, lockStudy, setHasReport } from "../studies/studies.repo.ts";
import { assertStorageFits, chargeStorage } from "../subscriptions/storage-quota.ts";
import { reportExists } from "./reports.errors.ts";
import { findReport, insertReport } from "./reports.repo.ts";

/**
 * Attaches a report to a study without one; anyone who may see the study may do so. One that they sent before under the same key is
 * there already.
 * @throws {AppError} `study.not_found`, `report.exists`, `quota.bytes`
 */
export async function uploadReport(
  deps: Pick<Deps, "db" | "disk" | "node" | "store" | "log"> & NotifyDeps,
  caller: Caller,
  input: { reference: string; pdf: Uint8Array; idempotencyKey: string | undefined },
  origin: RequestOrigin,
): Promise<void> {
  const found = await findStudy(deps.db, caller, input.reference);
  if (found.hasReport) return await assertSentBefore(deps.db, caller, found.id, input);
  const owner = { id: found.accountId, isCaller: found.accountId === caller.userId };
  await assertStorageFits(deps.db, owner, input.pdf.length);
  const now = deps.clock.now();
  const storing = storeDocument(deps, found.accountId, input.pdf, async (tx, document) => {
    // The storage is charged before the study is locked, as uploads and deletions do.
    await chargeStorage(tx, owner, document.sizeBytes);
    const study = await lockStudy(tx, found.id);
    if (!study) throw new AppError(studyNotFound);
    // The grant may have ended while the PDF was stored.
    await findStudy(tx, caller, study.id);
    if (study.hasReport) throw new AppError(reportExists);
    const { userId } = caller;
    await insertStoredObjects(tx, [
      { ...document, studyId: study.id, kind: "report", location: "archive", stagedOn: null, createdAt: now },
    ]);
    await insertReport(tx, {
      studyId: study.id,
      objectId: document.id,
      uploadedBy: userId,
      createdAt: now,
      idempotencyKey: input.idempotencyKey ?? null,
    });
    await setHasReport(tx, study.id, true);
    await checkIfUnsound(deps, tx, study, document.id);
    await recordAudit(tx, {
      at: now,
      action: "report.uploaded",
      actorId: userId,
      ...aboutStudy(study),
      ...origin,
    });
    if (owner.isCaller) return;
    await notify(deps, tx, owner.id, {
      event: "report.attached",
      subjectId: study.id,
      studyId: study.id,
      actorId: userId,
      cause: byAccount(userId, now),
    });
  });
  await storing.catch(async (error: unknown) => {
    // The same may have been sent twice at once.
    if (!(error instanceof AppError) || error.kind !== reportExists) throw error;
    await assertSentBefore(deps.db, caller, found.id, input);
  });
}

/** @throws {AppError} `report.exists` unless the report is what the caller sent under this key */
async function assertSentBefore(
  db: Deps["db"],
  { userId }: Caller,
  studyId: string,
  { idempotencyKey, pdf }: { idempotencyKey: string | undefined; pdf: Uint8Array },
): Promise<void> {
  const before = idempotencyKey === undefined ? undefined : await findReport(db, studyId);
  const isSame =
    before?.report.uploadedBy === userId &&
    before.report.idempotencyKey === idempotencyKey &&
    before.object.sha256 === new Bun.CryptoHasher("sha256").update(pdf).digest("hex");
  if (!isSame) throw new AppError(reportExists);
}
