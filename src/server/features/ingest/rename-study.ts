import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { aboutStudy, recordAudit } from "../audit/audit.repo.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { studyNotFound, studyNotOwner } from "../studies/studies.errors.ts";
import { type Caller, lockStudy } from "../studies/studies.repo.ts";
import { updateStudyIndex } from "../studies/study-contents.repo.ts";
import { indexOfRow, overridesOfRow, studyColumns } from "./study-index.ts";

/**
 * Changes the description under which a study is listed; its instances stay as they are. An empty one goes back to that of the
 * instances. Only the account that keeps the study may do this.
 * @throws {AppError} `study.not_found`, `study.ambiguous`, `study.not_owner`
 */
export async function renameStudy(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  input: { reference: string; description: string },
  origin: RequestOrigin,
): Promise<void> {
  const { id, accountId } = await findStudy(deps.db, caller, input.reference);
  if (accountId !== caller.userId) throw new AppError(studyNotOwner);
  await deps.db.transaction(async (tx) => {
    const study = await lockStudy(tx, id);
    if (!study) throw new AppError(studyNotFound);
    const index = indexOfRow(study);
    const { description: _, ...others } = overridesOfRow(study);
    const { description } = input;
    const isOwn = description !== "" && description !== index.description;
    const columns = studyColumns(index, { ...others, ...(isOwn && { description }) });
    if (columns.description === study.description) return;
    await updateStudyIndex(tx, id, { ...columns, labelled: false });
    await recordAudit(tx, {
      at: deps.clock.now(),
      action: "study.renamed",
      actorId: caller.userId,
      ...aboutStudy(study),
      ...origin,
    });
  });
}
