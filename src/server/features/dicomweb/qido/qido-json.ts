import type { DicomJson } from "../../../../shared/dicom/reading/instance.ts";
import { TagHex } from "../../../../shared/dicom/tags.ts";
import { isVideo } from "../../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import type { Named, SeriesRecord, StudyRecord } from "../dicomweb.catalogue.ts";
import type { SeriesUIDs } from "../dicomweb.repo.ts";
import type { QidoQuery } from "./parse-qido.ts";
import { type Level, levelOf } from "./qido-attributes.ts";

/** InstanceAvailability of everything: nothing is kept where it has to be fetched from first. */
export const AVAILABILITY = "ONLINE";

/** The address of DICOMweb for the caller; undefined where answers name no addresses. */
type BaseUrl = string | undefined;

/** What a search answers without `includefield` (PS3.18 tables 10.6.3-3 to -5), and StudyDescription and SeriesDescription. */
const USUAL: Record<Level, readonly string[]> = {
  study: [
    TagHex.StudyDate,
    TagHex.StudyTime,
    TagHex.AccessionNumber,
    TagHex.InstanceAvailability,
    TagHex.ModalitiesInStudy,
    TagHex.ReferringPhysicianName,
    TagHex.TimezoneOffsetFromUTC,
    TagHex.StudyDescription,
    TagHex.RetrieveURL,
    TagHex.PatientName,
    TagHex.PatientID,
    TagHex.PatientBirthDate,
    TagHex.PatientSex,
    TagHex.StudyInstanceUID,
    TagHex.StudyID,
    TagHex.NumberOfStudyRelatedSeries,
    TagHex.NumberOfStudyRelatedInstances,
  ],
  series: [
    TagHex.InstanceAvailability,
    TagHex.Modality,
    TagHex.TimezoneOffsetFromUTC,
    TagHex.SeriesDescription,
    TagHex.RetrieveURL,
    TagHex.StudyInstanceUID,
    TagHex.SeriesInstanceUID,
    TagHex.SeriesNumber,
    TagHex.NumberOfSeriesRelatedInstances,
    TagHex.PerformedProcedureStepStartDate,
    TagHex.PerformedProcedureStepStartTime,
    TagHex.RequestAttributesSequence,
  ],
  instance: [
    TagHex.SOPClassUID,
    TagHex.SOPInstanceUID,
    TagHex.InstanceAvailability,
    TagHex.TimezoneOffsetFromUTC,
    TagHex.RetrieveURL,
    TagHex.AvailableTransferSyntaxUID,
    TagHex.StudyInstanceUID,
    TagHex.SeriesInstanceUID,
    TagHex.InstanceNumber,
    TagHex.NumberOfFrames,
    TagHex.Rows,
    TagHex.Columns,
    TagHex.BitsAllocated,
  ],
};

/** Picks the attributes of an answer about these levels: the usual ones and those that the search names, in the order of their tags. */
export function fieldPicker(
  { include, named }: Pick<QidoQuery, "include" | "named">,
  levels: readonly Level[],
): (json: DicomJson) => DicomJson {
  const usual = new Set([TagHex.SpecificCharacterSet, ...named, ...levels.flatMap((level) => USUAL[level])]);
  const isWanted = (tag: string) => include === "all" || usual.has(tag) || include.has(tag);
  return (json) => {
    // DICOM JSON is UTF-8, whatever the character set of the instances.
    const known: DicomJson = { ...json, [TagHex.SpecificCharacterSet]: element("CS", "ISO_IR 192") };
    const tags = Object.keys(known).filter(isWanted).sort();
    return Object.fromEntries(tags.flatMap((tag) => (known[tag] ? [[tag, known[tag]]] : [])));
  };
}

/**
 * What `includefield` names of a level above the results (PS3.18 §10.6.3.3.2 and §10.6.3.3.3), which each result has, too; what
 * results always have of their own, such as their address, is left out.
 * @param find returns what is known of that level; it is called only for a search that names something of it
 */
export async function fieldsAbove(
  level: Level,
  { query: { include }, levels }: { query: Pick<QidoQuery, "include">; levels: readonly Level[] },
  find: () => Promise<DicomJson | undefined>,
): Promise<DicomJson> {
  if (include === "all") return {};
  const own = new Set(levels.flatMap((one) => USUAL[one]));
  const wanted = [...include].filter((tag) => levelOf(tag) === level && !own.has(tag));
  if (wanted.length === 0) return {};
  const known = await find();
  return Object.fromEntries(wanted.flatMap((tag) => (known?.[tag] ? [[tag, known[tag]]] : [])));
}

/** Everything known of a study. */
export function studyJson(study: StudyRecord, baseUrl?: BaseUrl): DicomJson {
  return {
    ...emptyOf({ [TagHex.ReferringPhysicianName]: "PN", [TagHex.StudyID]: "SH" }),
    ...study.attributes,
    [TagHex.StudyDate]: element("DA", compact(study.studyDate)),
    [TagHex.StudyTime]: study.attributes?.[TagHex.StudyTime] ?? element("TM", compact(study.studyTime)),
    [TagHex.AccessionNumber]: element("SH", study.accessionNumber),
    [TagHex.ModalitiesInStudy]: elementOf("CS", study.modalitiesInStudy),
    [TagHex.StudyDescription]: element("LO", study.studyDescription),
    [TagHex.PatientName]: patientNameElement(study),
    [TagHex.PatientID]: element("LO", study.patientID),
    [TagHex.PatientBirthDate]: element("DA", compact(study.patientBirthDate)),
    [TagHex.PatientSex]: element("CS", study.patientSex),
    [TagHex.StudyInstanceUID]: element("UI", study.studyInstanceUID),
    [TagHex.NumberOfStudyRelatedSeries]: element("IS", study.seriesCount),
    [TagHex.NumberOfStudyRelatedInstances]: element("IS", study.instanceCount),
    ...location(baseUrl, `studies/${study.reference ?? study.studyInstanceUID}`),
  };
}

/** The patient's name, with all its groups if they are known; `patientName` has one group only. */
export function patientNameElement({ attributes, patientName }: StudyRecord): DicomJson[string] {
  const kept = attributes?.[TagHex.PatientName];
  // An earlier release kept an element without a value for a name of one group.
  return kept?.Value?.length ? kept : personName(patientName);
}

/** Everything known of a series, without its study. */
export function seriesJson(series: SeriesRecord, baseUrl?: BaseUrl): DicomJson {
  const { studyInstanceUID, seriesInstanceUID, reference = studyInstanceUID } = series;
  return {
    ...series.attributes,
    [TagHex.Modality]: element("CS", series.modality),
    [TagHex.SeriesDescription]: element("LO", series.seriesDescription),
    [TagHex.StudyInstanceUID]: element("UI", studyInstanceUID),
    [TagHex.SeriesInstanceUID]: element("UI", seriesInstanceUID),
    [TagHex.SeriesNumber]: element("IS", series.seriesNumber),
    [TagHex.NumberOfSeriesRelatedInstances]: element("IS", series.instanceCount),
    ...location(baseUrl, `studies/${reference}/series/${seriesInstanceUID}`),
  };
}

/** What the manifest knows of an instance; it does not know how many frames a video has. */
export function instanceJson(
  { studyInstanceUID, seriesInstanceUID, reference = studyInstanceUID }: SeriesUIDs & Named,
  instance: ManifestInstance,
  baseUrl?: BaseUrl,
): DicomJson {
  const { frames, sopInstanceUID, transferSyntaxUID } = instance;
  const path = `studies/${reference}/series/${seriesInstanceUID}/instances/${sopInstanceUID}`;
  return {
    [TagHex.SOPClassUID]: element("UI", instance.sopClassUID),
    [TagHex.SOPInstanceUID]: element("UI", sopInstanceUID),
    [TagHex.AvailableTransferSyntaxUID]: element("UI", transferSyntaxUID),
    [TagHex.StudyInstanceUID]: element("UI", studyInstanceUID),
    [TagHex.SeriesInstanceUID]: element("UI", seriesInstanceUID),
    [TagHex.InstanceNumber]: element("IS", instance.instanceNumber),
    ...(frames.kind !== "none" &&
      !isVideo(transferSyntaxUID) && { [TagHex.NumberOfFrames]: element("IS", frames.frameCount) }),
    [TagHex.Rows]: element("US", instance.rows),
    [TagHex.Columns]: element("US", instance.columns),
    ...location(baseUrl, path),
  };
}

function location(baseUrl: BaseUrl, path: string): DicomJson {
  if (baseUrl === undefined) return {};
  return {
    [TagHex.InstanceAvailability]: element("CS", AVAILABILITY),
    [TagHex.RetrieveURL]: element("UR", `${baseUrl}/${path}`),
  };
}

function emptyOf(vrs: Record<string, string>): DicomJson {
  return Object.fromEntries(Object.entries(vrs).map(([tag, vr]) => [tag, { vr }]));
}

/** An attribute without a value keeps its VR and has no `Value` (PS3.18 §F.2.5). */
function element(vr: string, value: string | number | null): DicomJson[string] {
  return elementOf(vr, value === null || value === "" ? [] : [value]);
}

function elementOf(vr: string, values: (string | number)[]): DicomJson[string] {
  return values.length === 0 ? { vr } : { vr, Value: values };
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
