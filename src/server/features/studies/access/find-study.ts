import { isUid } from "../../../../shared/dicom/uid.ts";
import { isUuid } from "../../../../shared/uuid.ts";
import type { DbOrTx } from "../../../db/client.ts";
import { AppError } from "../../../http/app-error.ts";
import { studyAmbiguous, studyNotFound } from "../studies.errors.ts";
import { type Caller, findVisibleStudiesByUID, findVisibleStudy } from "../studies.repo.ts";
import type { StudyRow } from "../studies.table.ts";

/**
 * Finds the study that a path names by our id or by its Study Instance UID: the caller's own first, otherwise one they may see.
 * Many accounts may have a study of the same UID.
 * @throws {AppError} `study.not_found` for an unknown study **or one the caller may not see**; `study.ambiguous`
 */
export async function findStudy(db: DbOrTx, caller: Caller, reference: string): Promise<StudyRow> {
  if (isUuid(reference)) {
    const study = await findVisibleStudy(db, caller, reference);
    if (!study) throw new AppError(studyNotFound);
    return study;
  }
  if (!isUid(reference)) throw new AppError(studyNotFound);
  const found = await findVisibleStudiesByUID(db, caller, reference);
  const own = found.find((study) => study.accountId === caller.userId);
  const [first, second] = found;
  if (own) return own;
  if (!first) throw new AppError(studyNotFound);
  if (second) throw new AppError(studyAmbiguous, { members: { ids: found.map((study) => study.id) } });
  return first;
}
