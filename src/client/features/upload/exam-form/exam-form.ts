import type { UploadMetadata } from "../../../../shared/api/upload.ts";
import { isDateOrEmpty } from "../../../ui/text/date-text.ts";

/** The upload form. Every value is a text, empty if it is not given. */
export type ExamForm = Record<keyof UploadMetadata, string>;

/** The form for a file in which the browser could read no instance. */
export const EMPTY_FORM: ExamForm = {
  patientName: "",
  patientIDTag: "",
  patientBirthDate: "",
  patientGender: "",
  accessionNumber: "",
  description: "",
  examinedAt: "",
  modality: "",
  studyInstanceUID: "",
  institutionName: "",
};

export const GENDERS = ["M", "F", "O"] as const;

/**
 * The part of the form that is sent: the changed values, and the UID of their study if it is known. Unchanged values are
 * left out, so that they never override the values in the instances.
 */
export function toMetadata(form: ExamForm, prefilled: ExamForm = EMPTY_FORM): UploadMetadata {
  const changed = Object.entries(form)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([name, value]) => value !== "" && value !== prefilled[name as keyof ExamForm]);
  const { studyInstanceUID } = prefilled;
  return { ...Object.fromEntries(changed), ...(studyInstanceUID !== "" && { studyInstanceUID }) };
}

/** Whether a person's values differ from those of the exam, so that they must be sent. */
export function isChanged(form: ExamForm | undefined, prefilled: ExamForm): boolean {
  if (!form) return false;
  const { studyInstanceUID: _known, ...changed } = toMetadata(form, prefilled);
  return Object.keys(changed).length > 0;
}

/** Whether every date of the form can be sent. */
export function isSendable({ patientBirthDate, examinedAt }: ExamForm): boolean {
  return isDateOrEmpty(patientBirthDate, "date") && isDateOrEmpty(examinedAt, "datetime");
}
