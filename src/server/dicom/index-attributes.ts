import { isoDate, isoTime } from "../../shared/dicom/date.ts";
import type { DicomJson, IndexAttributes } from "./instance.ts";

const MAX_TEXT_LENGTH = 1024;
const MAX_INTEGER = 2 ** 31 - 1;

/** What the database index keeps of an instance, from its metadata. Unreadable values are null. */
export function indexAttributes(json: DicomJson): IndexAttributes {
  return {
    patientName: personName(json["00100010"]?.Value?.[0]),
    patientID: text(json, "00100020"),
    patientBirthDate: isoDate(text(json, "00100030") ?? ""),
    patientSex: text(json, "00100040"),
    studyDescription: text(json, "00081030"),
    studyDate: isoDate(text(json, "00080020") ?? ""),
    studyTime: isoTime(text(json, "00080030") ?? ""),
    accessionNumber: text(json, "00080050"),
    institutionName: text(json, "00080080"),
    modality: text(json, "00080060"),
    seriesNumber: integer(json, "00200011"),
    seriesDescription: text(json, "0008103E"),
    instanceNumber: integer(json, "00200013"),
    rows: integer(json, "00280010"),
    columns: integer(json, "00280011"),
  };
}

function text(json: DicomJson, tag: string): string | null {
  const value = json[tag]?.Value?.[0];
  return typeof value === "string" || typeof value === "number" ? storable(String(value)) : null;
}

/** The alphabetic form with its carets, else the ideographic, else the phonetic one. */
function personName(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const { Alphabetic, Ideographic, Phonetic } = value as Record<string, string | undefined>;
  return storable(Alphabetic ?? Ideographic ?? Phonetic ?? "");
}

function integer(json: DicomJson, tag: string): number | null {
  const value = json[tag]?.Value?.[0];
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= MAX_INTEGER
    ? value
    : null;
}

/** Text a database column takes: no control characters (NUL is refused there), no half characters, bounded. */
function storable(value: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const cleaned = value.replace(/[\u0000-\u001f\u007f]+/g, " ");
  return cleaned.slice(0, MAX_TEXT_LENGTH).toWellFormed().trim() || null;
}
