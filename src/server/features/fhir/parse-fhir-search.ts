import { TagHex } from "../../../shared/dicom/tags.ts";
import { isUuid } from "../../../shared/uuid.ts";
import { AppError } from "../../http/app-error.ts";
import { validationFailed } from "../../http/http.errors.ts";
import { isKeepable } from "../../http/validate.ts";
import type { Page } from "../dicomweb/qido/parse-qido.ts";
import type { QidoMatch, Wanted } from "../dicomweb/qido/qido-match.ts";
import type { TimeRange } from "../exchange/changed-condition.repo.ts";
import { type Elements, elementsIn, SUMMARIES } from "./elements.ts";
import type { Coding } from "./fhir-resource.ts";
import { daysOf, timesOf } from "./parse-fhir-date.ts";
import {
  codesOf,
  identifierMatches,
  modalitiesOf,
  nameOf,
  patientIDsOf,
  referencedBy,
  seriesOf,
  valuesOf,
} from "./read-values.ts";
import {
  type Brought,
  INCLUDES,
  includesThatBring,
  type Meaning,
  ORDER,
  SEARCH_PARAMETERS,
  type SearchedType,
  STATUS,
} from "./search-parameters.ts";

/** Parameters about the answer. Those that are not read make no difference. */
const RESULT_PARAMETERS = new Set(["_count", "_offset", "_format", "_pretty"]);
const TOTALS = ["none", "estimate", "accurate"];

const USUAL_COUNT = 20;
const MAX_COUNT = 100;
const MAX_VALUES = 100;
/** Ranges of days and of times, of all parameters. */
const MAX_TIMES = 100;
/** Names, and lists of series. */
const MAX_NAMES = 8;
const MAX_TEXT_LENGTH = 128;
const MAX_OFFSET = 1_000_000;

/** A limit of 0 asks for the number of matches alone. */
export interface FhirSearch extends Page {
  /** Of studies; all of them without. */
  ids: string[] | undefined;
  matches: QidoMatch[];
  /** Series by their UIDs; a study has one of each of these lists. */
  series: string[][];
  /** When what is wanted last changed: at a time of each of these lists. */
  changed: TimeRange[][];
  /** Of the matches. */
  elements: Elements;
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
  /** This server, by its public name and as the client calls it. */
  hosts: readonly string[];
  now: Date;
}

/**
 * Reads a search. Parameters that are unknown are ignored, unless the client asks for strictness; a known one with an unknown
 * modifier never is (FHIR R4 §3.1.1.3 and §3.1.1.4.5).
 * @throws {AppError} 400
 */
export function parseFhirSearch(type: SearchedType, parameters: URLSearchParams, asking: Asking): FhirSearch {
  const count = integer(parameters, "_count") ?? USUAL_COUNT;
  const limit = parameters.get("_summary") === "count" ? 0 : Math.min(count, MAX_COUNT);
  const search: FhirSearch = {
    ids: undefined,
    matches: [],
    series: [],
    changed: [],
    elements: elementsIn(parameters, type),
    brought: new Set(),
    isCounted: limit === 0 || parameters.get("_total") !== "none",
    used: [],
    limit,
    offset: integer(parameters, "_offset") ?? 0,
  };
  if (search.offset > MAX_OFFSET) throw invalid("_offset");
  for (const [name, value] of parameters) {
    if (RESULT_PARAMETERS.has(name) || (name === "_summary" && limit === 0)) continue;
    if (search.used.length >= MAX_VALUES) throw invalid(name);
    const isRead =
      isAboutAnswer(search, type, name, value) || isCompared(search, type, [name, value], asking);
    if (!isRead && asking.isStrict) throw invalid(name);
    if (isRead && value.trim() !== "") search.used.push([name, value]);
  }
  return search;
}

/** Whether a parameter says how much to answer, in what order, with what number or with which other resources. */
function isAboutAnswer(search: FhirSearch, type: SearchedType, name: string, value: string): boolean {
  if (name === "_sort") return value === ORDER[type];
  if (name === "_total") return TOTALS.includes(value);
  if (name === "_summary") return SUMMARIES.includes(value);
  if (name === "_elements") return true;
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
function isCompared(
  search: FhirSearch,
  type: SearchedType,
  [name, text]: [string, string],
  { hosts, now }: Asking,
): boolean {
  const meaning = meaningOf(type, name);
  if (!meaning) return false;
  if (text.trim() === "") return true;
  const values = valuesOf(text);
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
      break;
    case "study":
      keepIds(search, referencedBy(values, "ImagingStudy", hosts));
      break;
    case "series":
      search.series.push(...seriesOf(values));
      break;
    case "status":
      if (!isStatus(values, STATUS[type])) search.ids = [];
      break;
    case "identifier":
      search.matches.push(...(identifierMatches(values) ?? unreadable(name)));
      break;
    case "modality":
      match(TagHex.ModalitiesInStudy, "CS", modalitiesOf(values));
      break;
    case "day":
      match(TagHex.StudyDate, "DA", daysOf(values, now) ?? unreadable(name));
      break;
    case "patient":
      match(TagHex.PatientID, "LO", patientIDsOf(referencedBy(values, "Patient", hosts)));
      break;
    case "name":
      match(TagHex.PatientName, "PN", nameOf(values) ?? unreadable(name));
      break;
    case "birthday":
      match(TagHex.PatientBirthDate, "DA", daysOf(values, now) ?? unreadable(name));
  }
  if (isTooWide(search)) throw invalid(name);
  return true;
}

/** Whether each study would be compared with too much. */
function isTooWide({ matches, series, changed }: FhirSearch): boolean {
  const wanted = matches.map((match) => match.wanted);
  const days = wanted.flatMap((one) => (one.kind === "any" ? one.of : []));
  const names = wanted.filter(({ kind }) => kind === "words");
  return (
    days.length > MAX_TIMES ||
    changed.flat().length > MAX_TIMES ||
    series.length > MAX_NAMES ||
    names.length > MAX_NAMES
  );
}

/** What a name with its modifier or chain is compared with. @throws {AppError} 400 for a modifier that is not supported */
function meaningOf(type: SearchedType, name: string): Meaning | undefined {
  const [, base = "", modifier, chain] = /^([^:.]*)(?::([^.]*))?(?:\.(.*))?$/.exec(name) ?? [];
  const known = SEARCH_PARAMETERS[type];
  const parameter = Object.hasOwn(known, base) ? known[base] : undefined;
  if (!parameter) return undefined;
  const { meaning, target, chains = {} } = parameter;
  const isPatients = target === "Patient" && modifier === "identifier" && chain === undefined;
  if (modifier !== undefined && modifier !== target && !isPatients) throw invalid(name);
  if (chain === undefined) return meaning;
  const [chained = "", ...modifiers] = chain.split(":");
  if (!Object.hasOwn(chains, chained)) return undefined;
  if (modifiers.length > 0) throw invalid(name);
  return chains[chained];
}

function isStatus(values: readonly string[], { system, code }: Coding): boolean {
  return codesOf(values, "", system ?? "").some((one) => one === code || one === "");
}

function keepIds(search: FhirSearch, values: string[]): void {
  const ids = values.filter(isUuid).map((id) => id.toLowerCase());
  search.ids = search.ids?.filter((id) => ids.includes(id)) ?? ids;
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
