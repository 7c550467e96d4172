import { isoDate } from "../../../../shared/dicom/date.ts";
import { TagHex } from "../../../../shared/dicom/tags.ts";
import { AppError } from "../../../http/app-error.ts";
import { validationFailed } from "../../../http/http.errors.ts";
import { isKeepable } from "../../../http/validate.ts";
import { combineTimes } from "./combine-times.ts";
import { parseDateTimeRange, parseOffset } from "./date-time-range.ts";
import { attributeNamed, type Level, levelOf, type QidoAttribute } from "./qido-attributes.ts";
import type { QidoMatch, Wanted } from "./qido-match.ts";

export const MAX_PAGE = 1_000;
export const MAX_LIST = 1_000;
const MAX_TEXT_LENGTH = 128;
/** There are never so many results: larger numbers mean the same, and would not fit into those of PostgreSQL. */
const MAX_COUNT = 999_999_999;
export const MAX_MATCHES = 32;
export const MAX_FIELDS = 200;
/** Attributes in a path such as `RequestAttributesSequence.ScheduledProcedureStepID`. */
export const MAX_DEPTH = 4;

export interface Page {
  limit: number;
  offset: number;
}

/** A search of PS3.18 §10.6. Matches are joined by "and". */
export interface QidoQuery extends Page {
  matches: QidoMatch[];
  /** Tags that the client wants beside the usual ones. */
  include: ReadonlySet<string> | "all";
  /** Tags of the attributes that the search names, which its answer has too (PS3.18 §10.6.3.3), even those that may have any value. */
  named: ReadonlySet<string>;
  /** Names of parameters that would narrow the search if it knew them, as the client wrote them. */
  ignored: string[];
}

/** Parameters that are no filters (PS3.18 §8.3.3 and §8.3.4), and the one by which clients pass caches over. */
const NO_FILTERS = new Set(["limit", "offset", "includefield", "fuzzymatching", "accept", "charset", "_"]);
/** Kinds of matching that only a client who asks for them misses (PS3.18 §8.3.4.5 and §8.3.4.6). */
const UNKNOWN_MATCHING = new Set(["emptyvaluematching", "multiplevaluematching"]);
/** Sequences are matched by their members only, and addresses by nothing: where an item is, is no matter of matching. */
const NO_KEYS = new Set(["SQ", "UR"]);
const ALL_LEVELS: readonly Level[] = ["study", "series", "instance"];

/** All that a search wants of one attribute, which it may name by keyword and by tag. */
interface Filter {
  name: string;
  path: QidoAttribute[];
  attribute: QidoAttribute;
  isOfLevel: boolean;
  values: string[];
}

/**
 * Reads a search for items of `levels`. Attributes are named by keyword or by tag. Other parameters and attributes of other levels are
 * ignored (PS3.18 §8.3.4.1).
 * @throws {AppError} 400 if a limit, an offset or a value can't be read, or if an attribute without lists is given two
 */
export function parseQido(parameters: URLSearchParams, levels = ALL_LEVELS): QidoQuery {
  const isFuzzy = parameters.get("fuzzymatching") === "true";
  const offset = offsetOf(parameters);
  const matches: QidoMatch[] = [];
  const ignored: string[] = [];
  const named = new Set<string>();
  const filters = new Map<string, Filter>();
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    if (NO_FILTERS.has(name)) continue;
    if (UNKNOWN_MATCHING.has(name) && values[0] === "false") continue;
    const path = pathOf(name);
    if (path?.[0] && levels.includes(levelOf(path[0].tag))) named.add(path[0].tag);
    if (values.every((value) => !isNarrowing(value))) continue;
    const attribute = path?.at(-1);
    if (!path?.[0] || !attribute || NO_KEYS.has(attribute.vr)) {
      ignored.push(name);
      continue;
    }
    if (path.length === 1 && attribute.tag === TagHex.TimezoneOffsetFromUTC) continue;
    const isOfLevel = levels.includes(levelOf(path[0].tag));
    if (!isOfLevel) ignored.push(name);
    const key = path.map(({ tag }) => tag).join(".");
    const earlier = filters.get(key)?.values ?? [];
    filters.set(key, { name, path, attribute, isOfLevel, values: earlier.concat(values) });
  }
  for (const { name, path, attribute, isOfLevel, values } of filters.values()) {
    const wanted = wantedOf(name, attribute, values, { isFuzzy, offset });
    if (wanted && isOfLevel) matches.push({ path, wanted });
    if (matches.length > MAX_MATCHES) throw invalid(name);
  }
  return {
    ...parsePage(parameters),
    matches: combineTimes(matches),
    include: fieldsOf(parameters),
    named,
    ignored,
  };
}

/**
 * The offset from UTC of date times that a search gives without one (PS3.18 §8.3.4.1.1); it is no filter.
 * @throws {AppError} 400 if it can't be read
 */
function offsetOf(parameters: URLSearchParams): string | undefined {
  const [name, tag] = ["TimezoneOffsetFromUTC", TagHex.TimezoneOffsetFromUTC] as const;
  const value = oneOf(name, narrowing(parameters.getAll(name).concat(parameters.getAll(tag))));
  if (value === undefined) return undefined;
  const offset = parseOffset(value);
  if (offset === undefined) throw invalid(name);
  return offset;
}

/** @throws {AppError} 400 if `limit` or `offset` is not a number */
function parsePage(parameters: URLSearchParams): Page {
  const limit = count(parameters, "limit") ?? MAX_PAGE;
  return { limit: Math.min(limit, MAX_PAGE), offset: count(parameters, "offset") ?? 0 };
}

function pathOf(name: string): QidoAttribute[] | undefined {
  const path = name.split(".", MAX_DEPTH + 1).map(attributeNamed);
  if (path.length > MAX_DEPTH) return undefined;
  const known = path.filter((attribute) => attribute !== undefined);
  return known.length === path.length ? known : undefined;
}

/** The tags of `includefield`. A member of a sequence brings the sequence. */
function fieldsOf(parameters: URLSearchParams): QidoQuery["include"] {
  const names = parameters.getAll("includefield").flatMap((value) => value.split(",", MAX_FIELDS + 1));
  if (names.length > MAX_FIELDS) throw invalid("includefield");
  if (names.includes("all")) return "all";
  return new Set(names.flatMap((name) => pathOf(name.trim())?.[0]?.tag ?? []));
}

/** An empty value and `*` match everything (PS3.4 §C.2.2.2.3). */
function isNarrowing(value: string): boolean {
  return value.trim() !== "" && value.trim() !== "*";
}

function narrowing(values: readonly string[]): string[] {
  return values.map((value) => value.trim()).filter(isNarrowing);
}

/**
 * The value of a parameter that takes no list; `undefined` if there is none.
 * @throws {AppError} 400 if there are several: matches are joined by "and", and nothing has two values at once
 */
function oneOf(name: string, values: readonly string[]): string | undefined {
  const [value, other] = new Set(values);
  if (other !== undefined) throw invalid(name, "validation.repeated");
  return value;
}

/** Returns `undefined` for values that match everything. */
function wantedOf(
  name: string,
  { tag, vr }: QidoAttribute,
  given: string[],
  { isFuzzy, offset }: { isFuzzy: boolean; offset: string | undefined },
): Wanted | undefined {
  const values = narrowing(isListed(tag, vr) ? given.flatMap((value) => value.split(/[,\\]/)) : given);
  const isKept = values.every((text) => text.length <= MAX_TEXT_LENGTH && isKeepable(text));
  if (values.length > MAX_LIST || !isKept) throw invalid(name);
  if (values.length > 0 && isListed(tag, vr)) return listOf(vr, values);
  const value = oneOf(name, values);
  if (value === undefined) return undefined;
  switch (vr) {
    case "DA":
      return rangeOf(name, value, DATE);
    case "TM":
      return rangeOf(name, value, TIME);
    case "DT":
      return dateTimesOf(name, value, offset);
    case "IS":
    case "DS":
    case "US":
    case "UL":
    case "SS":
    case "SL":
    case "FD":
      return { kind: "number", value: numberOf(name, value) };
    case "FL":
      // What the instance keeps of `0.1` is the nearest number of 32 bits.
      return { kind: "number", value: Math.fround(numberOf(name, value)) };
    default:
      return isFuzzy && vr === "PN"
        ? { kind: "words", words: value }
        : { kind: "text", pattern: value, isName: vr === "PN" };
  }
}

/** Only texts have wildcards (PS3.4 §C.2.2.2.4). */
function listOf(vr: string, values: readonly string[]): Wanted {
  const { patterns = [], exact = [] } = Object.groupBy(values, (value) =>
    vr !== "UI" && /[*?]/.test(value) ? "patterns" : "exact",
  );
  return { kind: "list", values: new Set(exact), ...(patterns.length > 0 && { patterns }) };
}

const MODALITIES = new Set<string>([TagHex.Modality, TagHex.ModalitiesInStudy]);

/** Values of a list are separated by commas, or backslashes as in a data set; the key may also be repeated. */
function isListed(tag: string, vr: string): boolean {
  return vr === "UI" || MODALITIES.has(tag);
}

const DATE = /^\d{8}$/;
const TIME = /^\d{2}(?:\d{2}(?:\d{2}(?:\.\d{1,6})?)?)?$/;

/** `20260131`, `20260101-20260131`, `20260101-` or `-20260131` (PS3.4 §C.2.2.2.5). */
function rangeOf(name: string, value: string, format: RegExp): Wanted {
  const [from = "", to = from, more] = value.replaceAll(":", "").split("-");
  const ends = [from, to].filter((end) => end !== "");
  const isReadable = ends.every((end) => format.test(end) && (format !== DATE || isDay(end)));
  if (more !== undefined || ends.length === 0 || !isReadable) throw invalid(name);
  const first = format === DATE ? from : earliest(from, 2);
  return {
    kind: "range",
    ...(from !== "" && { from: first }),
    ...(to !== "" && { to }),
    ...(!value.includes("-") && { isSingle: true }),
  };
}

/** Date times without any offset from UTC are compared as they are written. */
function dateTimesOf(name: string, value: string, offset: string | undefined): Wanted {
  const range = parseDateTimeRange(value, offset);
  if (!range) throw invalid(name);
  const { to } = range;
  const from = range.from && { ...range.from, local: earliest(range.from.local, 8) };
  const hasOffset = from?.moment !== undefined || to?.moment !== undefined;
  return hasOffset
    ? { kind: "moments", ...(from && { from }), ...(to && { to }) }
    : { kind: "range", ...(from && { from: from.local }), ...(to && { to: to.local }) };
}

/** A time without the zeros that a value may lack: `10:00:00.0` begins as `10` does. */
function earliest(from: string, shortest: number): string {
  const [whole = "", fraction = ""] = from.split(".");
  const parts = fraction.replace(/0+$/, "");
  if (parts !== "") return `${whole}.${parts}`;
  let length = whole.length;
  while (length > shortest && whole.endsWith("00", length)) length -= 2;
  return whole.slice(0, length);
}

/** PostgreSQL refuses a day that the calendar does not have. */
function isDay(da: string): boolean {
  return isoDate(da) !== null;
}

function numberOf(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number)) throw invalid(name);
  return number;
}

function count(parameters: URLSearchParams, name: "limit" | "offset"): number | undefined {
  const value = parameters.get(name);
  if (value === null || value === "") return undefined;
  if (!/^\d+$/.test(value)) throw invalid(name);
  return Math.min(Number(value), MAX_COUNT);
}

function invalid(path: string, code = "invalid"): AppError {
  return new AppError(validationFailed, { violations: [{ path, code }] });
}
