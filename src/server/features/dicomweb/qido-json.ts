import { TagHex } from "../../../shared/dicom/tags.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import type { DicomJson } from "../../dicom/instance.ts";
import type { SeriesRecord, StudyRecord } from "./dicomweb.catalogue.ts";

/** A study as QIDO-RS answers it (PS3.18 table 10.6.3-3). */
export function studyJson(study: StudyRecord): DicomJson {
  return {
    [TagHex.StudyDate]: element("DA", compact(study.studyDate)),
    [TagHex.StudyTime]: element("TM", compact(study.studyTime)),
    [TagHex.AccessionNumber]: element("SH", study.accessionNumber),
    [TagHex.ModalitiesInStudy]: { vr: "CS", Value: study.modalitiesInStudy },
    [TagHex.StudyDescription]: element("LO", study.studyDescription),
    [TagHex.PatientName]: personName(study.patientName),
    [TagHex.PatientID]: element("LO", study.patientID),
    [TagHex.PatientBirthDate]: element("DA", compact(study.patientBirthDate)),
    [TagHex.PatientSex]: element("CS", study.patientSex),
    [TagHex.StudyInstanceUID]: element("UI", study.studyInstanceUID),
    [TagHex.NumberOfStudyRelatedSeries]: element("IS", study.seriesCount),
    [TagHex.NumberOfStudyRelatedInstances]: element("IS", study.instanceCount),
  };
}

/** A series as QIDO-RS answers it (PS3.18 table 10.6.3-4). */
export function seriesJson(series: SeriesRecord): DicomJson {
  return {
    [TagHex.Modality]: element("CS", series.modality),
    [TagHex.SeriesDescription]: element("LO", series.seriesDescription),
    [TagHex.StudyInstanceUID]: element("UI", series.studyInstanceUID),
    [TagHex.SeriesInstanceUID]: element("UI", series.seriesInstanceUID),
    [TagHex.SeriesNumber]: element("IS", series.seriesNumber),
    [TagHex.NumberOfSeriesRelatedInstances]: element("IS", series.instanceCount),
  };
}

/** An instance as QIDO-RS answers it (PS3.18 table 10.6.3-5). */
export function instanceJson(
  series: { studyInstanceUID: string; seriesInstanceUID: string },
  instance: ManifestInstance,
): DicomJson {
  const { frames } = instance;
  return {
    [TagHex.SOPClassUID]: element("UI", instance.sopClassUID),
    [TagHex.SOPInstanceUID]: element("UI", instance.sopInstanceUID),
    [TagHex.AvailableTransferSyntaxUID]: element("UI", instance.transferSyntaxUID),
    [TagHex.StudyInstanceUID]: element("UI", series.studyInstanceUID),
    [TagHex.SeriesInstanceUID]: element("UI", series.seriesInstanceUID),
    [TagHex.InstanceNumber]: element("IS", instance.instanceNumber),
    ...(frames.kind !== "none" && { [TagHex.NumberOfFrames]: element("IS", frames.frameCount) }),
    [TagHex.Rows]: element("US", instance.rows),
    [TagHex.Columns]: element("US", instance.columns),
  };
}

/** An attribute without a value keeps its VR and has no `Value` (PS3.18 §F.2.5). */
function element(vr: string, value: string | number | null): DicomJson[string] {
  return value === null || value === "" ? { vr } : { vr, Value: [value] };
}

/** Component groups are alphabetic, ideographic and phonetic (PS3.18 §F.2.2). */
function personName(name: string | null): DicomJson[string] {
  const [alphabetic, ideographic, phonetic] = (name ?? "").split("=");
  const groups = {
    ...(alphabetic && { Alphabetic: alphabetic }),
    ...(ideographic && { Ideographic: ideographic }),
    ...(phonetic && { Phonetic: phonetic }),
  };
  return Object.keys(groups).length > 0 ? { vr: "PN", Value: [groups] } : { vr: "PN" };
}

/** `2026-01-31` → `20260131`, `10:20:30` → `102030`: dates and times as DICOM writes them. */
function compact(value: string | null): string | null {
  return value === null ? null : value.replace(/[-:]/g, "");
}
