import { TagHex } from "../../../shared/dicom/tags.ts";
import { isUuid } from "../../../shared/uuid.ts";
import { AppError } from "../../http/app-error.ts";
import { validationFailed } from "../../http/http.errors.ts";
import type { Page, QidoMatch, Wanted } from "../dicomweb/parse-qido.ts";
import { DICOM_UID } from "./fhir-resource.ts";

const COMMON = {
  _id: "token",
  patient: "reference",
  "patient.identifier": "token",
  subject: "reference",
} as const;

/** What searches name, with the kind of each (FHIR R4 §3.1.1). */
export const SEARCH_PARAMETERS = {
  ImagingStudy: { ...COMMON, identifier: "token", started: "date", modality: "token" },
  DiagnosticReport: { ...COMMON, date: "date" },
} as const;
export type SearchedType = keyof typeof SEARCH_PARAMETERS;

/** Parameters that are not about resources. Those of the answer's form are read or make no difference. */
const RESULT_PARAMETERS = new Set(["_count", "_offset", "_format", "_pretty", "_summary", "_elements"]);

const USUAL_COUNT = 20;
const MAX_COUNT = 100;
const MAX_VALUES = 100;
const MAX_TEXT_LENGTH = 128;
const MAX_OFFSET = 1_000_000;

export interface FhirSearch extends Page {
  /** Of studies; all of them without. */
  ids: string[] | undefined;
  matches: QidoMatch[];
  /** What was read, for the address of this page and of the next. */
  used: [name: string, value: string][];
}

/**
 * Reads a search. Parameters that are unknown are ignored, unless the client asks for strictness.
 * @throws {AppError} 400
 */
export function parseFhirSearch(
  type: SearchedType,
  parameters: URLSearchParams,
  isStrict: boolean,
): FhirSearch {
  const search: FhirSearch = {
    ids: undefined,
    matches: [],
    used: [],
    limit: Math.min(integer(parameters, "_count", 1) ?? USUAL_COUNT, MAX_COUNT),
    offset: integer(parameters, "_offset", 0) ?? 0,
  };
  if (search.offset > MAX_OFFSET) throw invalid("_offset");
  for (const [name, value] of parameters) {
    if (RESULT_PARAMETERS.has(name)) continue;
    if (!isKnown(type, name)) {
      if (isStrict) throw invalid(name);
      continue;
    }
    if (value.trim() === "") continue;
    if (search.used.length >= MAX_VALUES) throw invalid(name);
    search.used.push([name, value]);
    add(search, name, value);
  }
  return search;
}

function isKnown(type: SearchedType, name: string): boolean {
  const isListed = Object.hasOwn(SEARCH_PARAMETERS[type], name);
  return isListed || name === "patient:identifier" || name === "subject:identifier";
}

function add(search: FhirSearch, name: string, text: string): void {
  const values = text.split(",", MAX_VALUES + 1).map((value) => value.trim());
  const isTooMuch = values.length > MAX_VALUES || values.some((value) => value.length > MAX_TEXT_LENGTH);
  if (isTooMuch || values.includes("")) throw invalid(name);
  const match = (tag: string, vr: string, wanted: Wanted) =>
    search.matches.push({ path: [{ tag, vr }], wanted });
  switch (name) {
    case "_id": {
      const ids = values.filter(isUuid).map((id) => id.toLowerCase());
      search.ids = search.ids?.filter((id) => ids.includes(id)) ?? ids;
      return;
    }
    case "identifier":
      search.matches.push(identifierMatch(values));
      return;
    case "modality":
      match(TagHex.ModalitiesInStudy, "CS", {
        kind: "list",
        values: values.map((value) => tokenOf(value).code),
      });
      return;
    case "started":
    case "date":
      // Values after a comma would widen the search.
      if (values.length > 1) throw invalid(name);
      match(TagHex.StudyDate, "DA", dayRange(name, values.join()));
      return;
    default:
      // A patient is known by the ID that instances have.
      match(TagHex.PatientID, "LO", exactly(values.map((value) => patientIDOf(value))));
  }
}

/** Studies by their UIDs, or by accession numbers, which have no system here. @throws {AppError} 400 for a mixture */
function identifierMatch(values: string[]): QidoMatch {
  const tokens = values.map(tokenOf);
  const uids = tokens.flatMap(({ system, code }) => {
    const isUid = system === DICOM_UID || code.startsWith("urn:oid:") || /^\d+(\.\d+){3,}$/.test(code);
    const isOurs = system === undefined || system === DICOM_UID;
    return isUid && isOurs ? [code.replace(/^urn:oid:/, "")] : [];
  });
  if (uids.length === tokens.length)
    return { path: [{ tag: TagHex.StudyInstanceUID, vr: "UI" }], wanted: { kind: "list", values: uids } };
  if (uids.length > 0 || tokens.some(({ system }) => system)) throw invalid("identifier");
  const wanted = exactly(tokens.map(({ code }) => code));
  return { path: [{ tag: TagHex.AccessionNumber, vr: "SH" }], wanted };
}

/** Never as a pattern, whatever a value holds. */
function exactly(values: string[]): Wanted {
  const [value = ""] = values;
  const isPlain = values.length === 1 && !/[*?]/.test(value);
  // A text is looked for in an index.
  return isPlain ? { kind: "text", pattern: value, isName: false } : { kind: "list", values };
}

/** `system|code`, `|code` or `code`. */
function tokenOf(value: string): { system: string | undefined; code: string } {
  const bar = value.indexOf("|");
  if (bar < 0) return { system: undefined, code: value };
  return { system: value.slice(0, bar), code: value.slice(bar + 1) };
}

/** `Patient/P-100`, `P-100`, or a token. */
function patientIDOf(value: string): string {
  return tokenOf(value.replace(/^(?:.*\/)?Patient\//, "")).code;
}

/** A day with one of the prefixes eq, ge and le; months and years are ranges of days (FHIR R4 §3.1.1.4.10). */
function dayRange(name: string, value: string): Wanted {
  const [, prefix = "eq", year = "", month, day] =
    /^(eq|ge|le)?(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T.*)?)?)?$/.exec(value) ?? [];
  if (year === "") throw invalid(name);
  const from = `${year}${month ?? "01"}${day ?? "01"}`;
  const lastDay = new Date(Date.UTC(Number(year), Number(month ?? 12), 0)).getUTCDate();
  const to = `${year}${month ?? "12"}${day ?? lastDay}`;
  if (!isDay(from) || !isDay(to)) throw invalid(name);
  return { kind: "range", ...(prefix !== "le" && { from }), ...(prefix !== "ge" && { to }) };
}

function isDay(da: string): boolean {
  const [year, month, day] = [da.slice(0, 4), da.slice(4, 6), da.slice(6)].map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  return date.getUTCFullYear() === year && date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

function integer(parameters: URLSearchParams, name: string, least: number): number | undefined {
  const value = parameters.get(name);
  if (value === null || value === "") return undefined;
  if (!/^\d{1,9}$/.test(value) || Number(value) < least) throw invalid(name);
  return Number(value);
}

function invalid(path: string): AppError {
  return new AppError(validationFailed, { violations: [{ path, code: "invalid", message: path }] });
}
