import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { isStudyModality, type StudyModality } from "../../../shared/dicom/modality.ts";

const names: Record<StudyModality, MessageDescriptor> = {
  DEN: msg({ id: "his.modalityNames.DEN", message: "Bone density" }),
  LAB: msg({ id: "his.modalityNames.LAB", message: "Laboratory" }),
  CT: msg({ id: "his.modalityNames.CT", message: "CT scan" }),
  MR: msg({ id: "his.modalityNames.MR", message: "MRI" }),
  US: msg({ id: "his.modalityNames.US", message: "Ultrasound" }),
  XA: msg({ id: "his.modalityNames.XA", message: "Angiography" }),
  DX: msg({ id: "his.modalityNames.DX", message: "Digital radiography" }),
  MG: msg({ id: "his.modalityNames.MG", message: "Digital mammography" }),
  ES: msg({ id: "his.modalityNames.ES", message: "Endoscopy/Colonoscopy" }),
  CR: msg({ id: "his.modalityNames.CR", message: "X-ray" }),
  NM: msg({ id: "his.modalityNames.nuclear", message: "Nuclear medicine" }),
  PT: msg({ id: "his.modalityNames.PT", message: "PET" }),
  RF: msg({ id: "his.modalityNames.RF", message: "Fluoroscopy" }),
  SC: msg({ id: "his.modalityNames.SC", message: "Secondary capture" }),
  OT: msg({ id: "his.modalityNames.OT", message: "Other" }),
};

/** The name of a modality; an unknown code is shown as it is. */
export function modalityName(i18n: I18n, code: string): string {
  return isStudyModality(code) ? i18n._(names[code]) : code;
}

/** The codes of a study's `modality` value; it may hold several. */
export function modalityCodes(modality: string | null): string[] {
  return (modality ?? "")
    .split("\\")
    .map((code) => code.trim())
    .filter(Boolean);
}
