import { and, isNotNull, or, type SQL, sql } from "drizzle-orm";
import { foldName, gramsOf, wordsOf } from "../../../shared/dicom/folded-name.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { contains } from "../../db/like.ts";
import { levelOf, type QidoAttribute } from "../dicomweb/qido/qido-attributes.ts";
import type { QidoMatch, Wanted } from "../dicomweb/qido/qido-match.ts";
import {
  hasNameGrams,
  hasPhysicians,
  nameGrams,
  PHYSICIAN_TAGS,
  physicianNames,
  timeOfDay,
} from "../studies/indexed-expressions.repo.ts";
import { studies } from "../studies/studies.table.ts";
import { isWhole, listColumns, simpleOfStudy } from "./search-conditions.repo.ts";

/**
 * What follows from a match and has an index of its own, besides those of the list's columns. It takes long for each study that another
 * index finds, so it is only for searches that look for all matches.
 */
export function followingCondition({ path: [first, ...inner], wanted }: QidoMatch): SQL | undefined {
  if (!first || inner.length > 0) return undefined;
  if (first.tag === TagHex.PatientName) return gramsCondition(wanted);
  if (first.tag === TagHex.StudyTime) return timeCondition(wanted);
  if (listColumns[first.tag] || simpleOfStudy[first.tag] || levelOf(first.tag) !== "study") return undefined;
  return isPhysician(first.tag) ? physicianCondition(wanted) : wholeValueCondition(first, wanted);
}

/** The letters beyond ASCII of a name, in a row. */
function gramsCondition(wanted: Wanted): SQL | undefined {
  const grams = gramsOf(nameIn(wanted));
  if (grams.length === 0) return undefined;
  // The trigram indexes find words beside them.
  const words =
    wanted.kind === "words" ? wordsOf(wanted.words).filter((word) => gramsOf(word).length === 0) : [];
  return and(
    hasNameGrams(studies),
    sql`${nameGrams(studies)} @> ${sql.param(grams)}::text[]`,
    ...words.map((word) =>
      or(...[studies.patientNameFolded, studies.patientNameGroups].map((name) => contains(name, word))),
    ),
  );
}

function nameIn(wanted: Wanted): string {
  return wanted.kind === "text" ? wanted.pattern : wanted.kind === "words" ? wanted.words : "";
}

/** Digits of a time without fractions. */
const SECONDS = 6;

/** The column has times as `10:20:30`, without fractions; each is between the shortest that begins so and the longest. */
function timeCondition(wanted: Wanted): SQL | undefined {
  if (wanted.kind !== "range") return undefined;
  const { from, to } = wanted;
  const time = timeOfDay(studies);
  return and(
    from === undefined ? isNotNull(studies.studyTime) : sql`${time} >= ${withColons(from.slice(0, SECONDS))}`,
    to === undefined ? undefined : sql`${time} <= ${`${withColons(to)}~`}`,
  );
}

function withColons(time: string): string {
  return time.replace(/^(\d{2})(?=\d)/, "$1:").replace(/^(\d{2}:\d{2})(?=\d)/, "$1:");
}

const isPhysician = (tag: string) => PHYSICIAN_TAGS.some((known) => known === tag);

/** Runs of ASCII that have trigrams. */
function physicianCondition(wanted: Wanted): SQL | undefined {
  const runs = foldName(nameIn(wanted)).match(/[a-z0-9]{3,}/g) ?? [];
  if (runs.length === 0) return undefined;
  return and(
    hasPhysicians(studies),
    ...[...new Set(runs)].map((run) => contains(physicianNames(studies), run)),
  );
}

/** A value without wildcards, where values are texts. */
function wholeValueCondition({ tag, vr }: QidoAttribute, wanted: Wanted): SQL | undefined {
  const isWhole = wanted.kind === "text" && !wanted.isName && !/[*?]/.test(wanted.pattern);
  if (!isWhole || !TEXT_VRS.has(vr)) return undefined;
  const element = JSON.stringify({ [tag]: { Value: [wanted.pattern] } });
  return sql`${studies.attributes} @> ${element}::jsonb`;
}

const TEXT_VRS: ReadonlySet<string> = new Set(["AE", "AS", "CS", "LO", "LT", "SH", "ST", "UC", "UT"]);

/** Whether a text may match any number of studies, unlike a whole identifier. */
export function hasUnknownFrequency(match: QidoMatch): boolean {
  const { path, wanted } = match;
  const [first] = path;
  if (wanted.kind === "any") return wanted.of.some((one) => hasUnknownFrequency({ path, wanted: one }));
  const listed = first && listColumns[first.tag];
  if (followingCondition(match)) return true;
  return (
    !!listed?.folded &&
    (wanted.kind === "words" || (wanted.kind === "text" && !isWhole(listed, wanted.pattern)))
  );
}
