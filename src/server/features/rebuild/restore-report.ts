import { isUuid } from "../../../shared/uuid.ts";
import type { ReportLabel } from "../../archive/study-label.ts";
import type { Deps } from "../../deps.ts";
import { insertStoredObjects } from "../../holdings/objects/stored-objects.repo.ts";
import { uploadOfKey } from "../../holdings/objects/upload-of-key.ts";
import { isCopied } from "../../holdings/transfer/transfer-upload.ts";
import { insertReport } from "../reports/reports.repo.ts";
import { lockStudy, setHasReport } from "../studies/studies.repo.ts";
import { refreshStudies } from "../studies/study-contents.repo.ts";

/**
 * Gives a rebuilt study its laudo again, if the store still has the very file. Returns `false` if not, or if the study has one.
 * @param formerOwner the account that had the study before, and may have attached the report itself
 */
export async function restoreReport(
  { db, store }: Pick<Deps, "db" | "store">,
  study: { id: string; accountId: string; formerOwner: string },
  report: ReportLabel,
  signal: AbortSignal,
): Promise<boolean> {
  const { objectId, key, sizeBytes, sha256, uploadedBy } = report;
  const createdAt = new Date(report.createdAt);
  const isSound = isUuid(objectId) && isUuid(uploadedBy) && !Number.isNaN(createdAt.getTime());
  if (!isSound || !(await isCopied(store, report, signal))) return false;
  return await db.transaction(async (tx) => {
    const row = await lockStudy(tx, study.id);
    if (!row || row.accountId !== study.accountId || row.hasReport) return false;
    const object = { id: objectId, key, sizeBytes, sha256, studyId: study.id, uploadId: uploadOfKey(key) };
    await insertStoredObjects(tx, [
      { ...object, kind: "report", location: "archive", stagedOn: null, createdAt },
    ]);
    const attachedBy = uploadedBy === study.formerOwner ? study.accountId : uploadedBy;
    await insertReport(tx, { studyId: study.id, objectId, uploadedBy: attachedBy, createdAt });
    await setHasReport(tx, study.id, true);
    await refreshStudies(tx, [study.id]);
    return true;
  });
}
