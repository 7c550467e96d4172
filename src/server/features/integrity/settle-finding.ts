import type { Deps } from "../../deps.ts";
import { findFinding } from "../../holdings/checking/findings.repo.ts";
import type { FindingRow } from "../../holdings/checking/findings.table.ts";
import { seekCopies } from "../../holdings/checking/note-damage.ts";
import { ownerOf } from "../../holdings/object-owners.ts";
import { AppError } from "../../http/app-error.ts";
import { findingClosed, findingNotFound } from "./integrity.errors.ts";

type SettleDeps = Pick<Deps, "db" | "jobs" | "node" | "owners">;

/**
 * Has the exam of a finding read again now, on the node that can read it. Idempotent while that waits.
 * @throws {AppError} `finding.not_found`, `finding.closed`
 */
export async function recheckFinding(deps: SettleDeps, id: string): Promise<void> {
  const finding = await findOpen(deps, id);
  const examId = finding.studyId ?? finding.labExamId;
  if (examId === null) throw new AppError(findingNotFound);
  await deps.db.transaction((tx) => ownerOf(deps.owners, finding).enqueueCheck(tx, examId));
}

/**
 * Has every node that is alive look for a right copy of a finding's object and put it back. Idempotent while that waits.
 * @throws {AppError} `finding.not_found`, `finding.closed`
 */
export async function restoreFinding(deps: SettleDeps, id: string): Promise<void> {
  const finding = await findOpen(deps, id);
  await deps.db.transaction((tx) => seekCopies(deps, tx, finding));
}

async function findOpen({ db }: SettleDeps, id: string): Promise<FindingRow> {
  const finding = await findFinding(db, id);
  if (!finding) throw new AppError(findingNotFound);
  if (finding.closedAt) throw new AppError(findingClosed);
  return finding;
}
