import type { UploadMetadata } from "../../../../shared/api/upload.ts";

/** The upload form: every value a text, empty where nothing is said. */
export type ExamForm = Record<keyof UploadMetadata, string>;

export const GENDERS = ["M", "F", "O"] as const;

/**
 * What is sent of the form: values that were changed, so that what the instances say is never overridden by what
 * was only shown; and always the UID, which names the study they are for.
 */
export function toMetadata(form: ExamForm, prefilled: ExamForm): UploadMetadata {
  const changed = Object.entries(form)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([name, value]) => value !== "" && value !== prefilled[name as keyof ExamForm]);
  return { ...Object.fromEntries(changed), studyInstanceUID: prefilled.studyInstanceUID };
}
