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

/** Modalities that a lab PDF can have. */
export const LAB_MODALITIES = ["DEN", "LAB", "CT", "MR", "US", "CR", "ES", "NM", "PT"] as const;

export function isStudyModality(code: string): code is StudyModality {
  return (STUDY_MODALITIES as readonly string[]).includes(code);
}
