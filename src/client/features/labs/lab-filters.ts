import type { LabExam } from "../../../shared/api/labs.ts";
import { fold } from "../../../shared/fold.ts";

export interface LabFilters {
  name: string;
  /** `all`, or the code of one modality. */
  modality: string;
}

export const noLabFilters: LabFilters = { name: "", modality: "all" };

/** The exams that pass the filters, newest first. */
export function filterLabs(exams: readonly LabExam[], { name, modality }: LabFilters): LabExam[] {
  const wanted = fold(name);
  return exams
    .filter((exam) => fold(exam.laudoDescription).includes(wanted))
    .filter((exam) => modality === "all" || exam.modality === modality)
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
}
