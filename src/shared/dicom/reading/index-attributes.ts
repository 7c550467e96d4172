import { withoutBidiControls } from "../../rules/without-bidi-controls.ts";
import { isoDate, isoTime } from "../date.ts";
import { type Keyword, TagHex } from "../tags.ts";
import type { DicomJson, IndexAttributes } from "./instance.ts";

const MAX_TEXT_LENGTH = 1024;
const MAX_INTEGER = 2 ** 31 - 1;

/** Returns the attributes that the database index keeps of an instance, from its metadata. Unreadable values are null. */
export function indexAttributes(json: DicomJson): IndexAttributes {
  return {
    patientName: personName(json[TagHex.PatientName]?.Value?.[0]),
    patientID: text(json, "PatientID"),
    patientBirthDate: isoDate(text(json, "PatientBirthDate") ?? ""),
    patientSex: text(json, "PatientSex"),
    studyDescription: text(json, "StudyDescription"),
    studyDate: isoDate(text(json, "StudyDate") ?? ""),
    studyTime: isoTime(text(json, "StudyTime") ?? ""),
    accessionNumber: text(json, "AccessionNumber"),
    institutionName: text(json, "InstitutionName"),
    modality: text(json, "Modality"),
    seriesNumber: integer(json, "SeriesNumber"),
    seriesDescription: text(json, "SeriesDescription"),
    instanceNumber: integer(json, "InstanceNumber"),
    rows: integer(json, "Rows"),
    columns: integer(json, "Columns"),
  };
}

function text(json: DicomJson, keyword: Keyword): string | null {
  const value = json[TagHex[keyword]]?.Value?.[0];
  return typeof value === "string" || typeof value === "number" ? storable(String(value)) : null;
}

/** The alphabetic form with its carets, else the ideographic, else the phonetic one. */
function personName(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const { Alphabetic, Ideographic, Phonetic } = value as Record<string, string | undefined>;
  return storable(Alphabetic ?? Ideographic ?? Phonetic ?? "");
}

function integer(json: DicomJson, keyword: Keyword): number | null {
  const value = json[TagHex[keyword]]?.Value?.[0];
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= MAX_INTEGER
    ? value
    : null;
}

/**
 * Text that a database column accepts: no control characters (PostgreSQL rejects NUL), nothing that reorders other text, no lone
 * surrogates, bounded length.
 */
function storable(value: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const cleaned = withoutBidiControls(value.replace(/[\u0000-\u001f\u007f]+/g, " "));
  return cleaned.slice(0, MAX_TEXT_LENGTH).toWellFormed().trim() || null;
}
