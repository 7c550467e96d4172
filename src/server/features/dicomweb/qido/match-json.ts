import { foldName, wordsOf } from "../../../../shared/dicom/folded-name.ts";
import type { DicomJson, DicomJsonElement } from "../../../../shared/dicom/reading/instance.ts";
import { TagHex } from "../../../../shared/dicom/tags.ts";
import { type DateTimeEnd, storedMoment } from "./date-time-range.ts";
import { matchesWildcard } from "./match-wildcard.ts";
import { bySequence, isOfSequence, type QidoMatch, type Wanted } from "./qido-match.ts";

/** The offset from UTC of a data set, for date times that have none. */
type FindOffset = () => string | undefined;

/**
 * Whether a data set has all the attributes that a search wants (PS3.4 §C.2.2.2). All that it wants of the members of one sequence has
 * to be in one item (§C.2.2.2.6).
 */
export function matchesAll(json: DicomJson, matches: readonly QidoMatch[]): boolean {
  return hasAll(json, matches, () => offsetOf(json));
}

function hasAll(json: DicomJson, matches: readonly QidoMatch[], findOffset: FindOffset): boolean {
  return (
    matches.every((match) => isOfSequence(match) || hasValue(json, match, findOffset)) &&
    bySequence(matches).every(({ tag, ofItem }) =>
      (json[tag]?.Value ?? []).some((item) => isDataSet(item) && hasAll(item, ofItem, findOffset)),
    )
  );
}

function hasValue(
  json: DicomJson,
  { path: [attribute], time, wanted }: QidoMatch,
  findOffset: FindOffset,
): boolean {
  const texts = textsOf(json, attribute?.tag ?? "");
  const read = time ? withTime(texts, json, time.tag) : texts;
  return read.some((text) => isWanted(text, wanted, findOffset));
}

/** Dates with the time of day behind them. */
function withTime(dates: string[], json: DicomJson, time: string): string[] {
  const [ofDay = ""] = textsOf(json, time);
  return dates.map((date) => date + ofDay.replaceAll(":", ""));
}

function offsetOf(json: DicomJson): string | undefined {
  const [offset] = json[TagHex.TimezoneOffsetFromUTC]?.Value ?? [];
  return typeof offset === "string" ? offset : undefined;
}

/** The values of an attribute, a name in its groups (alphabetic, ideographic, phonetic) and as a whole. */
function textsOf(json: DicomJson, tag: string): string[] {
  const values = json[tag]?.Value ?? [];
  const isName = json[tag]?.vr === "PN";
  return values.flatMap((value) => {
    if (typeof value === "string" || typeof value === "number") return String(value);
    if (!isName || value === null || typeof value !== "object") return [];
    const { Alphabetic, Ideographic, Phonetic } = value as Record<string, string | undefined>;
    const groups = [Alphabetic, Ideographic, Phonetic].filter((group) => group !== undefined);
    return groups.length > 1 ? [...groups, groups.join("=")] : groups;
  });
}

function isDataSet(value: unknown): value is Record<string, DicomJsonElement> {
  return typeof value === "object" && value !== null;
}

function isWanted(text: string, wanted: Wanted, findOffset: FindOffset): boolean {
  switch (wanted.kind) {
    case "list":
      return (
        wanted.values.has(text) || wanted.patterns?.some((pattern) => matchesWildcard(text, pattern)) === true
      );
    case "range":
      return isBetween(text, wanted);
    case "moments":
      return isBetweenMoments(text, wanted, findOffset());
    case "number":
      return Number(text) === wanted.value;
    case "text":
      return wanted.isName
        ? matchesWildcard(foldName(text), foldName(wanted.pattern))
        : matchesWildcard(text, wanted.pattern);
    case "words":
      return hasWords(text, wanted.words);
    case "any":
      return wanted.of.some((one) => isWanted(text, one, findOffset));
  }
}

/** An end may be less precise than the value: `10-12` is from 10:00:00 to 12:59:59. */
function isBetween(text: string, { from, to }: { from?: string; to?: string }): boolean {
  return (from === undefined || text >= from) && (to === undefined || text.slice(0, to.length) <= to);
}

/** Compares in time with each end that has an offset if the value has one too, otherwise as it is written (PS3.4 §C.2.2.2.5). */
function isBetweenMoments(
  text: string,
  { from, to }: { from?: DateTimeEnd; to?: DateTimeEnd },
  ofDataSet: string | undefined,
): boolean {
  const moment = storedMoment(text, ofDataSet);
  const isAfter =
    moment !== undefined && from?.moment !== undefined
      ? moment >= from.moment
      : isBetween(text, from ? { from: from.local } : {});
  const isBefore =
    moment !== undefined && to?.moment !== undefined
      ? moment <= to.moment
      : isBetween(text, to ? { to: to.local } : {});
  return isAfter && isBefore;
}

function hasWords(name: string, wanted: string): boolean {
  const words = ` ${wordsOf(name).join(" ")}`;
  return wordsOf(wanted).every((word) => words.includes(` ${word}`));
}
