import { TagHex } from "../../../shared/dicom/tags.ts";
import { isUuid } from "../../../shared/uuid.ts";
import { AppError } from "../../http/app-error.ts";
import { validationFailed } from "../../http/http.errors.ts";
import { isKeepable } from "../../http/validate.ts";
import type { Page } from "../dicomweb/qido/parse-qido.ts";
import type { QidoMatch, Wanted } from "../dicomweb/qido/qido-match.ts";
import type { TimeRange } from "../exchange/changed-condition.repo.ts";
import { DICOM_CODES, DICOM_UID } from "./fhir-resource.ts";
import { daysOf, timesOf } from "./parse-fhir-date.ts";
import {
  type Brought,
  INCLUDES,
  includesThatBring,
  ORDER,
  SEARCH_PARAMETERS,
  type SearchedType,
  STATUS,
} from "./search-parameters.ts";

/** Parameters about the answer. Those that are not read make no difference. */
const RESULT_PARAMETERS = new Set(["_count", "_offset", "_format", "_pretty", "_summary", "_elements"]);
const TOTALS = ["none", "estimate", "accurate"];

const USUAL_COUNT = 20;
const MAX_COUNT = 100;
const MAX_VALUES = 100;
/** Each is looked for among what is stored of a study. */
const MAX_TIMES = 100;
const MAX_TEXT_LENGTH = 128;
const MAX_OFFSET = 1_000_000;

/** A limit of 0 asks for the number of matches alone. */
export interface FhirSearch extends Page {
  /** Of studies; all of them without. */
  ids: string[] | undefined;
  matches: QidoMatch[];
  /** When what is wanted last changed: at a time of each of these lists. */
  changed: TimeRange[][];
  /** Types of resources that come along with the matches of a page. */
  brought: Set<Brought>;
  /** Whether the answer says how many matches there are. */
  isCounted: boolean;
  /** What was read, for the address of this page and of the next. */
  used: [name: string, value: string][];
}

interface Asking {
  /** Whether the client wants to know of parameters that are unknown. */
  isStrict: boolean;
  now: Date;
}

/**
 * Reads a search. Parameters that are unknown are ignored, unless the client asks for strictness; a known one with an unknown
 * modifier never is (FHIR R4 §3.1.1.3 and §3.1.1.4.5).
 * @throws {AppError} 400
 */
export function parseFhirSearch(
  type: SearchedType,
  parameters: URLSearchParams,
  { isStrict, now }: Asking,
): FhirSearch {
  const count = integer(parameters, "_count") ?? USUAL_COUNT;
  const limit = parameters.get("_summary") === "count" ? 0 : Math.min(count, MAX_COUNT);
  const search: FhirSearch = {
    ids: undefined,
    matches: [],
    changed: [],
    brought: new Set(),
    isCounted: limit === 0 || parameters.get("_total") !== "none",
    used: [],
    limit,
    offset: integer(parameters, "_offset") ?? 0,
  };
  if (search.offset > MAX_OFFSET) throw invalid("_offset");
  for (const [name, value] of parameters) {
    if (RESULT_PARAMETERS.has(name)) continue;
    if (search.used.length >= MAX_VALUES) throw invalid(name);
    const isRead = isAboutAnswer(search, type, name, value) || isCompared(search, type, name, value, now);
    if (!isRead && isStrict) throw invalid(name);
    if (isRead && value.trim() !== "") search.used.push([name, value]);
  }
  return search;
}

/** Whether a parameter says in what order, with what number or with which other resources to answer. */
function isAboutAnswer(search: FhirSearch, type: SearchedType, name: string, value: string): boolean {
  if (name === "_sort") return value === ORDER[type];
  if (name === "_total") return TOTALS.includes(value);
  const includes = Object.hasOwn(INCLUDES[type], name) ? INCLUDES[type][name] : undefined;
  if (!includes) return false;
  const isWildcard = value === "*" || value === `${type}:*`;
  const named = isWildcard ? includesThatBring(type, name) : [value.split(":", 2).join(":")];
  const [, , target] = value.split(":");
  const found = named.flatMap((one) => (Object.hasOwn(includes, one) ? (includes[one] ?? []) : []));
  const isOfTarget = (one: Brought | "contained") =>
    target === undefined || target === (one === "contained" ? "Patient" : one);
  const brought = found.filter(isOfTarget);
  for (const one of brought) if (one !== "contained") search.brought.add(one);
  return brought.length > 0;
}

/** Whether a parameter says what the matches are, and adds that to the search. @throws {AppError} 400 */
function isCompared(search: FhirSearch, type: SearchedType, name: string, text: string, now: Date): boolean {
  const meaning = meaningOf(type, name);
  if (!meaning) return false;
  if (text.trim() === "") return true;
  const values = splitAt(",", text).map((value) => value.trim());
  const isTooMuch = values.length > MAX_VALUES || values.some((value) => value.length > MAX_TEXT_LENGTH);
  if (isTooMuch || values.includes("") || !isKeepable(text)) throw invalid(name);
  const match = (tag: string, vr: string, wanted: Wanted) =>
    search.matches.push({ path: [{ tag, vr }], wanted });
  switch (meaning) {
    case "id":
      keepIds(search, values);
      break;
    case "changed":
      search.changed.push(timesOf(values, now) ?? unreadable(name));
      if (search.changed.flat().length > MAX_TIMES) throw invalid(name);
      break;
    case "study":
      keepIds(
        search,
        values.map((value) => value.replace(/^(?:.*\/)?ImagingStudy\//, "")),
      );
      break;
    case "status":
      if (!values.some((value) => tokenOf(value).code === STATUS[type])) search.ids = [];
      break;
    case "identifier":
      search.matches.push(identifierMatch(name, values));
      break;
    case "modality":
      match(TagHex.ModalitiesInStudy, "CS", modalitiesOf(values));
      break;
    case "day":
      match(TagHex.StudyDate, "DA", daysOf(values, now) ?? unreadable(name));
      break;
    case "patient":
      // A patient is known by the ID that instances have.
      match(TagHex.PatientID, "LO", exactly(values.map((value) => patientIDOf(value))));
  }
  return true;
}

/** What a name with its modifier or chain is compared with. @throws {AppError} 400 for a modifier that is not supported */
function meaningOf(type: SearchedType, name: string) {
  const [, base = "", modifier, chain] = /^([^:.]*)(?::([^.]*))?(?:\.(.*))?$/.exec(name) ?? [];
  const known = SEARCH_PARAMETERS[type];
  const parameter = Object.hasOwn(known, base) ? known[base] : undefined;
  if (!parameter) return undefined;
  const { meaning, target } = parameter;
  const isPatients = target === "Patient" && modifier === "identifier" && chain === undefined;
  if (modifier !== undefined && modifier !== target && !isPatients) throw invalid(name);
  if (chain === undefined) return meaning;
  if (chain !== "identifier" || target === undefined) return undefined;
  return target === "ImagingStudy" ? "identifier" : meaning;
}

/** Codes of DICOM, with or without its system; the system alone means all of them (FHIR R4 §3.1.1.4.10). */
function modalitiesOf(values: string[]): Wanted {
  const tokens = values.map(tokenOf).filter(({ system = DICOM_CODES }) => system === DICOM_CODES);
  const codes = tokens.map(({ code }) => code);
  return { kind: "list", values: new Set(codes), ...(codes.includes("") && { patterns: ["?*"] }) };
}

function keepIds(search: FhirSearch, values: string[]): void {
  const ids = values.filter(isUuid).map((id) => id.toLowerCase());
  search.ids = search.ids?.filter((id) => ids.includes(id)) ?? ids;
}

/** Studies by their UIDs, or by accession numbers, which have no system here. @throws {AppError} 400 for a mixture */
function identifierMatch(name: string, values: string[]): QidoMatch {
  const tokens = values.map(tokenOf);
  const uids = tokens.flatMap(({ system, code }) => {
    const isUid = system === DICOM_UID || code.startsWith("urn:oid:") || /^\d+(\.\d+){3,}$/.test(code);
    const isOurs = system === undefined || system === DICOM_UID;
    return isUid && isOurs ? [code.replace(/^urn:oid:/, "")] : [];
  });
  if (uids.length === tokens.length)
    return {
      path: [{ tag: TagHex.StudyInstanceUID, vr: "UI" }],
      wanted: { kind: "list", values: new Set(uids) },
    };
  if (uids.length > 0 || tokens.some(({ system }) => system)) throw invalid(name);
  const wanted = exactly(tokens.map(({ code }) => code));
  return { path: [{ tag: TagHex.AccessionNumber, vr: "SH" }], wanted };
}

/** Never as a pattern, whatever a value holds. */
function exactly(values: string[]): Wanted {
  const [value = ""] = values;
  const isPlain = values.length === 1 && !/[*?]/.test(value);
  // A text is looked for in an index.
  return isPlain
    ? { kind: "text", pattern: value, isName: false }
    : { kind: "list", values: new Set(values) };
}

/** `system|code`, `|code` or `code`. */
function tokenOf(value: string): { system: string | undefined; code: string } {
  const [first = "", ...rest] = splitAt("|", value);
  if (rest.length === 0) return { system: undefined, code: plain(first) };
  return { system: plain(first), code: plain(rest.join("|")) };
}

/** `Patient/P-100`, `P-100`, or a token. */
function patientIDOf(value: string): string {
  return tokenOf(value.replace(/^(?:.*\/)?Patient\//, "")).code;
}

/** Parts between separators. A backslash takes their meaning from a comma, a bar, a dollar sign and itself (§3.1.1.4.0). */
function splitAt(separator: "," | "|", text: string): string[] {
  const parts = [""];
  for (const [piece] of text.matchAll(/\\.|[\s\S]/gu)) {
    if (piece === separator) parts.push("");
    else parts.push(`${parts.pop()}${piece}`);
  }
  return parts;
}

function plain(part: string): string {
  return part.replace(/\\([\\,|$])/g, "$1");
}

function integer(parameters: URLSearchParams, name: string): number | undefined {
  const value = parameters.get(name);
  if (value === null || value === "") return undefined;
  if (!/^\d{1,9}$/.test(value)) throw invalid(name);
  return Number(value);
}

function unreadable(name: string): never {
  throw invalid(name);
}

function invalid(path: string): AppError {
  return new AppError(validationFailed, { violations: [{ path, code: "invalid" }] });
}
