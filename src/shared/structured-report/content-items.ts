import { isoDate, isoTime } from "../dicom/date.ts";
import type { DicomJson } from "../dicom/dicom-json.ts";
import { fullPersonName } from "../dicom/person-name.ts";
import { TagHex } from "../dicom/tags.ts";
import type { Locale } from "../locale.ts";
import { calendarText } from "../rules/calendar-text.ts";

/** A report has too much for a page, or too little. */
export class ReportUnreadable extends Error {
  override name = "ReportUnreadable";
}

/** Of the metadata of a report: they are read and drawn at once. */
export const MAX_REPORT_JSON_BYTES = 4 * 1024 * 1024;

/** By Value Type (PS3.3 table C.17.3-7). A map, because an instance may have any text there, such as `constructor`. */
const VALUES = new Map<string, (item: DicomJson, locale: Locale) => string>([
  ["TEXT", (item) => textOf(item, TagHex.TextValue)],
  ["CODE", (item) => codeText(itemOf(item, TagHex.ConceptCodeSequence)) ?? ""],
  ["NUM", numberText],
  ["DATE", (item, locale) => dateText(textOf(item, TagHex.Date), locale)],
  ["TIME", (item) => isoTime(textOf(item, TagHex.Time)) ?? textOf(item, TagHex.Time)],
  ["DATETIME", (item, locale) => dateTimeText(textOf(item, TagHex.DateTime), locale)],
  ["PNAME", (item) => nameText(item, TagHex.PersonName)],
  ["UIDREF", (item) => textOf(item, TagHex.UID)],
  ["SCOORD", (item) => textOf(item, TagHex.GraphicType)],
  ["SCOORD3D", (item) => textOf(item, TagHex.GraphicType)],
  ["TCOORD", (item) => textOf(item, TagHex.TemporalRangeType)],
]);

/** The value of a content item as people read it; empty if it has none. @throws {ReportUnreadable} as {@link textOf} */
export function valueText(item: DicomJson, locale: Locale): string {
  const read = VALUES.get(textOf(item, TagHex.ValueType)) ?? referenceText;
  return read(item, locale);
}

/** The images and other objects that an item names, with their frames. */
function referenceText(item: DicomJson): string {
  const references = itemsOf(item, TagHex.ReferencedSOPSequence).map((reference) => {
    const uid = textOf(reference, TagHex.ReferencedSOPInstanceUID);
    const frames = reference[TagHex.ReferencedFrameNumber]?.Value?.join(", ");
    return frames === undefined ? uid : `${uid} [${frames}]`;
  });
  return references.join("; ");
}

/** A number with its unit and what qualifies it, or why there is none. */
function numberText(item: DicomJson): string {
  const qualifier = codeText(itemOf(item, TagHex.NumericValueQualifierCodeSequence)) ?? "";
  const measured = itemOf(item, TagHex.MeasuredValueSequence);
  if (!measured) return qualifier;
  const unit = unitText(itemOf(measured, TagHex.MeasurementUnitsCodeSequence));
  const bracketed = qualifier && `[${qualifier}]`;
  return [textOf(measured, TagHex.NumericValue), unit, bracketed].filter(Boolean).join(" ");
}

/** The number of a concept in a nomenclature: of SNOMED, such as `G-D705`, or of DICOM. */
const CONCEPT_NUMBER = /^([A-Z]-[\dA-F]+|\d{2,})$/;

/** The code of a unit is a symbol that people read, `1` that of none, unless it is a number of its concept. */
function unitText(unit: DicomJson | undefined): string {
  const symbol = unit && textOf(unit, TagHex.CodeValue);
  if (!symbol || CONCEPT_NUMBER.test(symbol)) return codeText(unit) ?? "";
  return symbol === "1" ? "" : symbol;
}

/** The meaning of a code, or the code itself. */
export function codeText(code: DicomJson | undefined): string | undefined {
  if (!code) return undefined;
  const { CodeMeaning, CodeValue, LongCodeValue, URNCodeValue } = TagHex;
  const found = [CodeMeaning, CodeValue, LongCodeValue, URNCodeValue].map((tag) => textOf(code, tag));
  return found.find((text) => text !== "");
}

export function nameText(item: DicomJson, tag: string): string {
  const [name] = (item[tag]?.Value ?? []) as (Record<string, string> | null)[];
  const forms = [name?.Alphabetic, name?.Ideographic, name?.Phonetic].map((form) => form ?? "");
  return fullPersonName(forms.join("=")) ?? "";
}

export function dateText(value: string, locale: Locale): string {
  const day = isoDate(value);
  return day ? calendarText(day, locale) : value;
}

/** A DT value: its day, its time of day, and its offset from UTC as it stands. */
export function dateTimeText(value: string, locale: Locale): string {
  const [, day = "", time = "", offset = ""] = /^(\d{8})(\d*(?:\.\d+)?)([+-]\d{4})?$/.exec(value) ?? [];
  if (day === "") return value;
  return [dateText(day, locale), isoTime(time) ?? time, offset].filter(Boolean).join(" ");
}

/** The values of an element as one text; empty if it has none. @throws {ReportUnreadable} if the metadata leave them out */
export function textOf(item: DicomJson, tag: string): string {
  const element = item[tag];
  if (element?.BulkDataURI !== undefined) throw new ReportUnreadable(`the value of ${tag} is not inline`);
  return (element?.Value ?? []).map((value) => String(value ?? "")).join("\\");
}

export function itemsOf(item: DicomJson, tag: string): DicomJson[] {
  const element = item[tag];
  if (element?.BulkDataURI !== undefined) throw new ReportUnreadable(`the value of ${tag} is not inline`);
  return ((element?.Value ?? []) as (DicomJson | null)[]).filter((one) => one !== null);
}

export function itemOf(item: DicomJson, tag: string): DicomJson | undefined {
  return itemsOf(item, tag)[0];
}
