import { isoTime } from "../date.ts";
import { TagHex } from "../tags.ts";
import type { DicomJson, DicomJsonElement, KeptAttributes } from "./instance.ts";

/** Attributes of a study and of a series that searches ask for, besides those that have columns of their own. */
const TAGS = {
  study: [
    TagHex.InstitutionName,
    TagHex.ReferringPhysicianName,
    TagHex.TimezoneOffsetFromUTC,
    TagHex.NameOfPhysiciansReadingStudy,
    TagHex.IssuerOfPatientID,
    TagHex.PatientAge,
    TagHex.PatientSize,
    TagHex.PatientWeight,
    TagHex.StudyID,
    TagHex.RequestingPhysician,
    TagHex.RequestedProcedureDescription,
  ],
  series: [
    TagHex.TimezoneOffsetFromUTC,
    TagHex.SeriesDate,
    TagHex.SeriesTime,
    TagHex.Manufacturer,
    TagHex.StationName,
    TagHex.PerformingPhysicianName,
    TagHex.OperatorsName,
    TagHex.ManufacturerModelName,
    TagHex.BodyPartExamined,
    TagHex.ProtocolName,
    TagHex.PatientPosition,
    TagHex.Laterality,
    TagHex.PerformedProcedureStepStartDate,
    TagHex.PerformedProcedureStepStartTime,
    TagHex.RequestAttributesSequence,
  ],
} as const;

/** Of the items of RequestAttributesSequence. */
const REQUEST_TAGS = [
  TagHex.ScheduledProcedureStepDescription,
  TagHex.ScheduledProcedureStepID,
  TagHex.RequestedProcedureID,
];
const MAX_ITEMS = 10;
const MAX_ELEMENT_LENGTH = 1_000;

/** Picks the attributes; an element that is long, or that PostgreSQL could not store, is left out. */
export function keptAttributes(metadata: DicomJson): KeptAttributes {
  const study = pick(metadata, hasFraction(metadata) ? [...TAGS.study, TagHex.StudyTime] : TAGS.study);
  const series = pick(metadata, TAGS.series);
  return { ...(study && { study }), ...(series && { series }) };
}

/**
 * Picks the patient's name if the column can't hold all of it: several values, or a group besides the alphabetic one (PS3.5
 * §6.2.1.2). `undefined` also for a name that {@link keptAttributes} would leave out.
 */
export function patientNameInGroups(metadata: DicomJson): DicomJsonElement | undefined {
  const element = metadata[TagHex.PatientName];
  if (element?.vr !== "PN" || !isStorable(element)) return undefined;
  const [name, ...others] = element.Value ?? [];
  const hasMore = others.length > 0 || Object.keys(name ?? {}).some((group) => group !== "Alphabetic");
  return hasMore ? element : undefined;
}

/** Whether the time of the study has a fraction of a second, for which its column has no room. */
function hasFraction(metadata: DicomJson): boolean {
  const [time] = metadata[TagHex.StudyTime]?.Value ?? [];
  return typeof time === "string" && /^\d{6}\.\d{1,6}$/.test(time) && isoTime(time) !== null;
}

function pick(metadata: DicomJson, tags: readonly string[]): DicomJson | undefined {
  const kept: DicomJson = {};
  for (const tag of tags) {
    const element = metadata[tag];
    const shortened = element?.vr === "SQ" ? withRequestTags(element) : element;
    if (shortened?.Value && isStorable(shortened)) kept[tag] = shortened;
  }
  return Object.keys(kept).length > 0 ? kept : undefined;
}

function withRequestTags({ vr, Value = [] }: DicomJsonElement): DicomJsonElement {
  const items = Value.slice(0, MAX_ITEMS).map((item) => pick((item ?? {}) as DicomJson, REQUEST_TAGS) ?? {});
  return { vr, Value: items };
}

function isStorable(element: DicomJsonElement): boolean {
  const text = JSON.stringify(element);
  return text.length <= MAX_ELEMENT_LENGTH && !text.includes("\\u0000") && !/\\ud[89a-f]/i.test(text);
}
