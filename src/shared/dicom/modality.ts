/** Names for the modalities that studies have; any other code is shown as it is. */
export const STUDY_MODALITIES = [
  "DEN",
  "LAB",
  "CT",
  "MR",
  "US",
  "XA",
  "DX",
  "MG",
  "ES",
  "CR",
  "NM",
  "PT",
  "RF",
  "SC",
  "OT",
] as const;
export type StudyModality = (typeof STUDY_MODALITIES)[number];

/** PDFs and other encapsulated documents, structured reports, and selections of images (PS3.3 §C.7.3.1.1.1). */
export const DOCUMENT_MODALITIES: ReadonlySet<string> = new Set(["DOC", "SR", "KO"]);

/** Whether a series of this modality has documents, and no images. */
export function isOfDocuments(modality: string | null): boolean {
  return modality !== null && DOCUMENT_MODALITIES.has(modality);
}

export function isStudyModality(code: string): code is StudyModality {
  return (STUDY_MODALITIES as readonly string[]).includes(code);
}
