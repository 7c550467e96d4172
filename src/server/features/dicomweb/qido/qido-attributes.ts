import { dictionaryVr } from "../../../../shared/dicom/reading/dictionary.ts";
import { type Keyword, TagHex } from "../../../../shared/dicom/tags.ts";
import { tagOf } from "../keywords/keywords.ts";

/** The level of an attribute in the hierarchy of PS3.18 §10.6; a patient's attributes belong to the study. */
export type Level = "study" | "series" | "instance";

export interface QidoAttribute {
  /** Eight upper-case hex digits. */
  tag: string;
  vr: string;
}

/** Keywords of attributes (PS3.6) that searches know of, by level: those of PS3.18 tables 10.6.1-5 and 10.6.3-3 to -5, and others. */
export const KEYWORDS: Readonly<Record<Level, readonly Keyword[]>> = {
  study: [
    "StudyDate",
    "StudyTime",
    "AccessionNumber",
    "InstanceAvailability",
    "ModalitiesInStudy",
    "InstitutionName",
    "ReferringPhysicianName",
    "TimezoneOffsetFromUTC",
    "StudyDescription",
    "NameOfPhysiciansReadingStudy",
    "RetrieveURL",
    "PatientName",
    "PatientID",
    "IssuerOfPatientID",
    "PatientBirthDate",
    "PatientSex",
    "PatientAge",
    "PatientSize",
    "PatientWeight",
    "StudyInstanceUID",
    "StudyID",
    "NumberOfStudyRelatedSeries",
    "NumberOfStudyRelatedInstances",
    "RequestingPhysician",
    "RequestedProcedureDescription",
  ],
  series: [
    "SeriesDate",
    "SeriesTime",
    "Modality",
    "Manufacturer",
    "StationName",
    "SeriesDescription",
    "PerformingPhysicianName",
    "OperatorsName",
    "ManufacturerModelName",
    "BodyPartExamined",
    "ProtocolName",
    "PatientPosition",
    "SeriesInstanceUID",
    "SeriesNumber",
    "Laterality",
    "NumberOfSeriesRelatedInstances",
    "PerformedProcedureStepStartDate",
    "PerformedProcedureStepStartTime",
    "RequestAttributesSequence",
    "ScheduledProcedureStepID",
    "RequestedProcedureID",
  ],
  instance: [
    "ImageType",
    "InstanceCreationDate",
    "InstanceCreationTime",
    "SOPClassUID",
    "SOPInstanceUID",
    "AcquisitionDate",
    "ContentDate",
    "AcquisitionTime",
    "ContentTime",
    "AvailableTransferSyntaxUID",
    "SliceThickness",
    "KVP",
    "AcquisitionNumber",
    "InstanceNumber",
    "ImagePositionPatient",
    "ImageOrientationPatient",
    "FrameOfReferenceUID",
    "SliceLocation",
    "ImageComments",
    "SamplesPerPixel",
    "PhotometricInterpretation",
    "NumberOfFrames",
    "Rows",
    "Columns",
    "PixelSpacing",
    "BitsAllocated",
    "BitsStored",
    "HighBit",
    "PixelRepresentation",
    "WindowCenter",
    "WindowWidth",
    "RescaleIntercept",
    "RescaleSlope",
  ],
};

/** The sequence that has an attribute of the tables, where it is none of the data set itself. */
const SEQUENCES: Partial<Record<Keyword, Keyword>> = {
  ScheduledProcedureStepID: "RequestAttributesSequence",
  RequestedProcedureID: "RequestAttributesSequence",
};

/** How a search names an attribute of the tables: by its keyword, or by the path to it. */
export function searchedName(keyword: Keyword): string {
  const sequence = SEQUENCES[keyword];
  return sequence === undefined ? keyword : `${sequence}.${keyword}`;
}

const levelByTag = new Map<string, Level>();
for (const level of ["study", "series", "instance"] as const) {
  for (const keyword of KEYWORDS[level]) levelByTag.set(TagHex[keyword], level);
}

/** The attribute that a search names by its keyword (PS3.6 §6) or its tag; undefined for any other word. */
export function attributeNamed(name: string): QidoAttribute | undefined {
  const tag = tagOf(name) ?? (/^[0-9a-f]{8}$/i.test(name) ? name.toUpperCase() : undefined);
  return tag === undefined ? undefined : { tag, vr: dictionaryVr(Number.parseInt(tag, 16)) };
}

/** The level of an attribute; one that is not listed describes the instance. */
export function levelOf(tag: string): Level {
  return levelByTag.get(tag) ?? "instance";
}
