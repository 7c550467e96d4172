import type { ManifestInstance } from "../../archive/manifest.ts";
import type { DicomJson } from "../../dicom/instance.ts";
import type { SeriesRecord, StudyRecord } from "./dicomweb.catalogue.ts";

/** A study as QIDO-RS answers it (PS3.18 table 10.6.3-3). */
export function studyJson(study: StudyRecord): DicomJson {
  return {
    "00080020": element("DA", compact(study.studyDate)),
    "00080030": element("TM", compact(study.studyTime)),
    "00080050": element("SH", study.accessionNumber),
    "00080061": { vr: "CS", Value: study.modalitiesInStudy },
    "00081030": element("LO", study.studyDescription),
    "00100010": personName(study.patientName),
    "00100020": element("LO", study.patientID),
    "00100030": element("DA", compact(study.patientBirthDate)),
    "00100040": element("CS", study.patientSex),
    "0020000D": element("UI", study.studyInstanceUID),
    "00201206": element("IS", study.seriesCount),
    "00201208": element("IS", study.instanceCount),
  };
}

/** A series as QIDO-RS answers it (PS3.18 table 10.6.3-4). */
export function seriesJson(series: SeriesRecord): DicomJson {
  return {
    "00080060": element("CS", series.modality),
    "0008103E": element("LO", series.seriesDescription),
    "0020000D": element("UI", series.studyInstanceUID),
    "0020000E": element("UI", series.seriesInstanceUID),
    "00200011": element("IS", series.seriesNumber),
    "00201209": element("IS", series.instanceCount),
  };
}

/** An instance as QIDO-RS answers it (PS3.18 table 10.6.3-5). */
export function instanceJson(
  series: { studyInstanceUID: string; seriesInstanceUID: string },
  instance: ManifestInstance,
): DicomJson {
  const { frames } = instance;
  return {
    "00080016": element("UI", instance.sopClassUID),
    "00080018": element("UI", instance.sopInstanceUID),
    "00083002": element("UI", instance.transferSyntaxUID),
    "0020000D": element("UI", series.studyInstanceUID),
    "0020000E": element("UI", series.seriesInstanceUID),
    "00200013": element("IS", instance.instanceNumber),
    ...(frames.kind !== "none" && { "00280008": element("IS", frames.frameCount) }),
    "00280010": element("US", instance.rows),
    "00280011": element("US", instance.columns),
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
