import type { VisitedStudy } from "../../../shared/api/links.ts";
import { isSamePatient } from "../viewer/comparable-studies.ts";

/** A visitor is told no patient ID: names and birth dates alone tell the patients of a link apart. */
export function isOfSamePatient(one: VisitedStudy, other: VisitedStudy): boolean {
  const patientID = "-";
  return isSamePatient({ ...one, patientID }, { ...other, patientID });
}
