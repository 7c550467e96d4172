import type { IntegrityFinding } from "../../../shared/api/integrity.ts";
import type { Deps } from "../../deps.ts";
import { type FindingPage, listFindings } from "../../holdings/checking/findings.repo.ts";
import type { FindingRow } from "../../holdings/checking/findings.table.ts";
import { type Caller, findVisibleStudies } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";

/** A page of findings with the exams that the caller may see. */
export async function readFindings(
  { db }: Pick<Deps, "db">,
  caller: Caller,
  page: FindingPage,
): Promise<{ findings: IntegrityFinding[]; total: number }> {
  const { findings, total } = await listFindings(db, page);
  const ids = [...new Set(findings.flatMap(({ studyId }) => studyId ?? []))];
  const studies = new Map((await findVisibleStudies(db, caller, ids)).map((study) => [study.id, study]));
  return {
    findings: findings.map((finding) => presentFinding(finding, studies.get(finding.studyId ?? ""))),
    total,
  };
}

function presentFinding(finding: FindingRow, study: StudyRow | undefined): IntegrityFinding {
  const { id, kind, found, foundAt, checkedAt, key, sizeBytes, closedAt, healedBy } = finding;
  return {
    id,
    kind,
    found,
    sizeBytes,
    healedBy,
    object: key,
    foundAt: foundAt.toISOString(),
    checkedAt: checkedAt.toISOString(),
    closedAt: closedAt?.toISOString() ?? null,
    study: study ? presentExam(study) : null,
  };
}

function presentExam({ id, description, studyDate, modality, patientName, patientID }: StudyRow) {
  return { id, description, studyDate, modality, patientName, patientID };
}
