import type { LabExam } from "../../../shared/api/labs.ts";
import type { LabExamRow } from "./labs.repo.ts";

export function presentLabExam(
  row: Pick<LabExamRow, "id" | "name" | "modality" | "examDate" | "createdAt">,
): LabExam {
  return {
    id: row.id,
    laudoDescription: row.name,
    modality: row.modality,
    examDate: row.examDate,
    createdAt: row.createdAt.toISOString(),
  };
}
