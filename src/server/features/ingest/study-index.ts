import type { UploadMetadata } from "../../../shared/api/upload.ts";
import type { IndexAttributes } from "../../../shared/dicom/reading/instance.ts";
import { fold } from "../../../shared/fold.ts";
import { type InstanceValues, MAX_INDEXED_TEXT, type StudyRow } from "../studies/studies.table.ts";
import type { ScannedStudy } from "./worker/worker-messages.ts";

/** The index columns of a study that its instances or the upload form fill. */
export type StudyIndex = Required<InstanceValues>;

export function indexOfInstances(index: IndexAttributes, modalities: string[]): StudyIndex {
  return {
    patientName: index.patientName,
    patientID: index.patientID,
    patientBirthDate: index.patientBirthDate,
    patientSex: index.patientSex,
    accessionNumber: index.accessionNumber,
    description: index.studyDescription,
    studyDate: index.studyDate,
    studyTime: index.studyTime,
    institutionName: index.institutionName,
    modality: modalities.length > 0 ? modalities.join("\\") : null,
  };
}

/**
 * The index columns that the form changes. A value that is empty, or that equals the instances' except for its notation (case,
 * carets of a name, seconds of a time), changes nothing.
 */
export function overridesOf(form: UploadMetadata, index: StudyIndex): Partial<StudyIndex> {
  const [studyDate, studyTime] = (form.examinedAt ?? "").split("T");
  const asked: Partial<StudyIndex> = {
    patientName: form.patientName,
    patientID: form.patientIDTag,
    patientBirthDate: form.patientBirthDate,
    patientSex: form.patientGender,
    accessionNumber: form.accessionNumber,
    description: form.description,
    studyDate,
    studyTime,
    institutionName: form.institutionName,
    modality: form.modality,
  };
  const overrides: Partial<StudyIndex> = {};
  for (const key of Object.keys(index) as (keyof StudyIndex)[]) {
    const value = asked[key]?.trim();
    if (value && !isEquivalent(key, value, index[key] ?? "")) overrides[key] = value;
  }
  return overrides;
}

function isEquivalent(key: keyof StudyIndex, form: string, instance: string): boolean {
  if (key === "studyTime") return instance.startsWith(form.slice(0, 5));
  if (key === "modality") return instance.split("\\").includes(form);
  if (key !== "patientName") return fold(form) === fold(instance);
  const [alphabetic = ""] = instance.split("=");
  const written = [alphabetic, alphabetic.replace(/\^+/g, " "), alphabetic.split("^")[0] ?? ""];
  return written.some((name) => fold(name) === fold(form));
}

/** Columns of a study row for an index with overrides: the shown values, and the instances' values that they replace. */
export function studyColumns(index: StudyIndex, overrides: Partial<StudyIndex>) {
  const shown = { ...index, ...overrides };
  const replaced = Object.keys(overrides) as (keyof StudyIndex)[];
  const instanceValues = Object.fromEntries(replaced.map((key) => [key, index[key]])) as InstanceValues;
  return {
    ...shown,
    modality: shown.modality?.slice(0, MAX_INDEXED_TEXT) ?? null,
    instanceValues: replaced.length > 0 ? instanceValues : null,
    patientNameFolded: searchable((shown.patientName ?? "").replace(/[\^=]+/g, " ")),
    patientIDFolded: searchable(shown.patientID ?? ""),
    accessionNumberFolded: searchable(shown.accessionNumber ?? ""),
    descriptionFolded: searchable(shown.description ?? ""),
  };
}

function searchable(text: string): string {
  return fold(text).slice(0, MAX_INDEXED_TEXT);
}

/** The index of a stored study as the list shows it, with its overrides. */
export function shownIndexOf(row: StudyRow): StudyIndex {
  const { patientName, patientID, patientBirthDate, patientSex, accessionNumber, description } = row;
  const { studyDate, studyTime, institutionName, modality } = row;
  return {
    patientName,
    patientID,
    patientBirthDate,
    patientSex,
    accessionNumber,
    description,
    studyDate,
    studyTime,
    institutionName,
    modality,
  };
}

/** The index of a stored study as its instances say it, without its overrides. */
export function indexOfRow(row: StudyRow): StudyIndex {
  return { ...shownIndexOf(row), ...row.instanceValues };
}

/** The overrides that a stored study carries. */
export function overridesOfRow(row: StudyRow): Partial<StudyIndex> {
  const replaced = Object.keys(row.instanceValues ?? {}) as (keyof StudyIndex)[];
  return Object.fromEntries(replaced.map((key) => [key, row[key]]));
}

/** The modality column of a new study, joined in the same way as `refreshStudies` joins the modalities of its series. */
export function modalityOf({ series }: ScannedStudy): string | null {
  const modalities = new Set(series.flatMap(({ index }) => index.modality ?? []));
  return [...modalities].sort().join("\\").slice(0, MAX_INDEXED_TEXT) || null;
}
