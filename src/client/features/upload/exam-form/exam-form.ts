import type { UploadMetadata } from "../../../../shared/api/upload.ts";

/** The upload form: every value a text, empty where nothing is said. */
export type ExamForm = Record<keyof UploadMetadata, string>;

/** Of a file that no instance could be read of here. */
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
 * What is sent of the form: values that were changed, so that what the instances say is never overridden by what
 * was only shown; and the UID where it is known, which names the study they are for.
 */
export function toMetadata(form: ExamForm, prefilled: ExamForm = EMPTY_FORM): UploadMetadata {
  const changed = Object.entries(form)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([name, value]) => value !== "" && value !== prefilled[name as keyof ExamForm]);
  const { studyInstanceUID } = prefilled;
  return { ...Object.fromEntries(changed), ...(studyInstanceUID !== "" && { studyInstanceUID }) };
}
