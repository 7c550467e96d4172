import type { Study } from "../../../shared/api/studies.ts";
import { fullPersonName } from "../../../shared/dicom/person-name.ts";
import { fold } from "../../../shared/fold.ts";
import { type Dated, nearestFirst } from "../studies/nearest-first.ts";
import { isViewable } from "../studies/study-text.ts";

export type Patient = Pick<Study, "patientName" | "patientID" | "patientBirthDate">;
type Comparable = Dated & Pick<Study, "id" | "imagesReceived" | "storageStatus">;

/** One name, its words in any order, and no two birth dates; without a name, one patient ID. */
export function isSamePatient(one: Patient, other: Patient): boolean {
  const [name, otherName] = [one, other].map(({ patientName }) => wordsOf(patientName).sort().join(" "));
  const isOneBirth =
    !one.patientBirthDate || !other.patientBirthDate || one.patientBirthDate === other.patientBirthDate;
  if (name || otherName) return name === otherName && isOneBirth;
  return Boolean(one.patientID) && one.patientID === other.patientID && isOneBirth;
}

/** The words of a name as searches compare them. */
export function wordsOf(patientName: string | null): string[] {
  return fold(fullPersonName(patientName ?? "") ?? "")
    .split(" ")
    .filter(Boolean);
}

/** The studies that can be seen beside this one, in the order of {@link nearestFirst}. */
export function orderComparable<Other extends Comparable>(
  study: Comparable,
  others: readonly Other[],
): Other[] {
  const isSeen = (other: Other) => other.id !== study.id && other.imagesReceived > 0 && isViewable(other);
  return nearestFirst(study, others.filter(isSeen));
}
