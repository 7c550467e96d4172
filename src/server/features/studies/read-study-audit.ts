import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { presentActingToken } from "../accounts/access-tokens/present-acting-token.ts";
import { findStudy } from "./access/find-study.ts";
import { owns } from "./access/study-access.ts";
import { studyNotOwner } from "./studies.errors.ts";
import type { Caller } from "./studies.repo.ts";
import { listStudyAudit } from "./study-audit.repo.ts";

const NEWEST = 200;

/**
 * Lists who looked at, downloaded, shared or changed a study, newest first; for its owner and admins.
 * @throws {AppError} `study.not_found`, `study.not_owner`
 */
export async function readStudyAudit(deps: Pick<Deps, "db">, caller: Caller, reference: string) {
  const study = await findStudy(deps.db, caller, reference);
  if (!owns(caller, study)) throw new AppError(studyNotOwner);
  const rows = await listStudyAudit(deps.db, study.id, NEWEST);
  return rows.map(({ isByToken, tokenName, ...row }) => ({
    ...row,
    at: row.at.toISOString(),
    ...presentActingToken({ isByToken, tokenName }),
  }));
}
