import { and, eq, gte, inArray, isNotNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { isoDate } from "../../../shared/dicom/date.ts";
import { foldedPattern, foldName, wordsOf } from "../../../shared/dicom/folded-name.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { fold } from "../../../shared/fold.ts";
import { contains, escapeLike } from "../../db/like.ts";
import type { QidoAttribute } from "../dicomweb/qido/qido-attributes.ts";
import { AVAILABILITY } from "../dicomweb/qido/qido-json.ts";
import { bySequence, isOfSequence, type QidoMatch, type Wanted } from "../dicomweb/qido/qido-match.ts";
import { type InstanceValues, MAX_INDEXED_TEXT, series, studies } from "../studies/studies.table.ts";

/**
 * Where a study has what its instances say: in the columns of the list, or beside them because the upload form replaced these. The
 * groups of a name are always beside them.
 */
export type ValuesFrom = "columns" | "instances";

/** How a search reads one column of the list: as it is, and as the instances say where the upload form replaced it. */
interface ListColumn {
  key: keyof InstanceValues;
  column: AnyPgColumn;
  /** The column without case and accents, which has an index of its trigrams. */
  folded?: AnyPgColumn;
  /** Whether the folded column also has an index of whole values. */
  isIdentifier?: boolean;
}

export const listColumns: Record<string, ListColumn> = {
  [TagHex.StudyDate]: { key: "studyDate", column: studies.studyDate },
  [TagHex.StudyTime]: { key: "studyTime", column: studies.studyTime },
  [TagHex.AccessionNumber]: {
    key: "accessionNumber",
    column: studies.accessionNumber,
    folded: studies.accessionNumberFolded,
    isIdentifier: true,
  },
  [TagHex.ModalitiesInStudy]: { key: "modality", column: studies.modality },
  [TagHex.InstitutionName]: { key: "institutionName", column: studies.institutionName },
  [TagHex.StudyDescription]: {
    key: "description",
    column: studies.description,
    folded: studies.descriptionFolded,
  },
  [TagHex.PatientName]: {
    key: "patientName",
    column: studies.patientName,
    folded: studies.patientNameFolded,
  },
  [TagHex.PatientID]: {
    key: "patientID",
    column: studies.patientID,
    folded: studies.patientIDFolded,
    isIdentifier: true,
  },
  [TagHex.PatientBirthDate]: { key: "patientBirthDate", column: studies.patientBirthDate },
  [TagHex.PatientSex]: { key: "patientSex", column: studies.patientSex },
};

export const simpleOfStudy: Record<string, AnyPgColumn | SQL> = {
  [TagHex.InstanceAvailability]: sql`${AVAILABILITY}::text`,
  [TagHex.NumberOfStudyRelatedSeries]: studies.seriesCount,
  [TagHex.NumberOfStudyRelatedInstances]: studies.instanceCount,
};
const seriesNumbers: Record<string, AnyPgColumn> = {
  [TagHex.SeriesNumber]: series.seriesNumber,
  [TagHex.NumberOfSeriesRelatedInstances]: series.instanceCount,
};
const seriesTexts: Record<string, AnyPgColumn> = {
  [TagHex.Modality]: series.modality,
  [TagHex.SeriesDescription]: series.description,
  [TagHex.SeriesInstanceUID]: series.seriesInstanceUID,
};

/** What a study must be for one match. */
export function studyCondition({ path, time, wanted }: QidoMatch, from: ValuesFrom): SQL | undefined {
  const [attribute, ...members] = path;
  // Of a study no sequence is kept.
  if (!attribute || members.length > 0) return sql`false`;
  const { tag } = attribute;
  // Each of them by its own index.
  if (wanted.kind === "any")
    return anyOf(wanted.of.map((one) => studyCondition({ path, time, wanted: one }, from)));
  if (time)
    return isValue(sql`translate(concat(${said(tag, from)}, ${said(time.tag, from)}), '-:', '')`, wanted);
  if (tag === TagHex.StudyInstanceUID && wanted.kind === "list")
    return inArray(studies.studyInstanceUID, [...wanted.values]);
  const simple = simpleOfStudy[tag];
  if (simple) return isValue(sql`${simple}`, wanted);
  const listed = listColumns[tag];
  if (!listed) return isKeptValue(studies.attributes, attribute, wanted);
  const isName = tag === TagHex.PatientName;
  const isOne = from === "columns" ? isListed(listed, wanted) : isSaid(tag, said(tag, from), wanted);
  return isName ? or(isOne, isInGroups(wanted)) : isOne;
}

/** What the instances say, as a text. The column of times has no fractions of seconds, which are among the kept attributes. */
function said(tag: string, from: ValuesFrom): SQL {
  const { key, column } = listColumns[tag] ?? {};
  if (!key || !column) throw new Error(`the list has no column of ${tag}`);
  const listed =
    from === "columns"
      ? sql`${column}::text`
      : sql`(case when ${studies.instanceValues} ? ${key} then ${studies.instanceValues} ->> ${key}
          else ${column}::text end)`;
  if (tag !== TagHex.StudyTime) return listed;
  return sql`coalesce(${firstKept(studies.attributes, tag)}, ${listed})`;
}

/** Compares a name with all its groups; a study without them has none. */
function isInGroups(wanted: Wanted): SQL | undefined {
  const groups = studies.patientNameGroups;
  if (wanted.kind === "text") return sql`${groups} like ${`%${likePattern(foldedPattern(wanted.pattern))}%`}`;
  if (wanted.kind !== "words") return sql`false`;
  // The trigram index finds words of ASCII.
  return and(
    ...wordsOf(wanted.words).flatMap((word) => [
      contains(groups, word),
      begins(sql`translate(${groups}, '=', ' ')`, word),
    ]),
  );
}

/** Compares a column of the list, by its index where it has one. */
function isListed(listed: ListColumn, wanted: Wanted): SQL | undefined {
  const { column, folded, key } = listed;
  if (wanted.kind === "range" && (key === "studyDate" || key === "patientBirthDate")) {
    const from = wanted.from === undefined ? undefined : gte(column, isoDate(wanted.from));
    const to = wanted.to === undefined ? undefined : lte(column, isoDate(wanted.to));
    return and(isNotNull(column), from, to);
  }
  if (wanted.kind === "words" && folded) {
    // The trigram index finds the words, wherever they are in the text.
    const words = wordsOf(wanted.words);
    return and(...words.flatMap((word) => [contains(folded, word), begins(folded, word)]));
  }
  const tag = TAG_OF[key] ?? "";
  if (wanted.kind !== "text" || !folded) return isSaid(tag, said(tag, "columns"), wanted);
  if (wanted.isName) return sql`${folded} like ${likePattern(foldName(wanted.pattern))}`;
  const pattern = fold(wanted.pattern);
  // Identifiers share most of their trigrams, but a whole one is found at once.
  const found = isWhole(listed, pattern)
    ? eq(folded, pattern.slice(0, MAX_INDEXED_TEXT))
    : sql`${folded} like ${likePattern(pattern)}`;
  return and(found, isValue(sql`${column}`, wanted));
}

/** Whether a match is about one study or one patient. */
export function namesOne({ path: [first], wanted }: QidoMatch): boolean {
  if (first?.tag === TagHex.StudyInstanceUID) return true;
  const listed = first && listColumns[first.tag];
  return !!listed && wanted.kind === "text" && isWhole(listed, wanted.pattern);
}

/** Whether a pattern is a whole identifier, without wildcards. */
export function isWhole({ isIdentifier }: ListColumn, pattern: string): boolean {
  return !!isIdentifier && !/[*?]/.test(pattern);
}

const TAG_OF: Partial<Record<keyof InstanceValues, string>> = Object.fromEntries(
  Object.entries(listColumns).map(([tag, { key }]) => [key, tag]),
);

/** Compares a text of the list, which has dates as `2026-01-31`, times as `10:20:30` and modalities between backslashes. */
export function isSaid(tag: string | undefined, said: SQL, wanted: Wanted): SQL | undefined {
  if (tag === TagHex.ModalitiesInStudy && wanted.kind === "list") {
    const all = sql`string_to_array(${said}, '\\')`;
    if (!wanted.patterns) return sql`${all} && ${sql.param([...wanted.values])}::text[]`;
    return sql`exists (select from unnest(${all}) as one where ${isValue(sql`one`, wanted)})`;
  }
  if (wanted.kind === "range") return isValue(sql`translate(${said}, '-:', '')`, wanted);
  return isValue(tag === TagHex.PatientName ? foldedName(said) : said, wanted);
}

/** Whether a study has a series with one of these UIDs. */
export function isStudyWithSeries(seriesInstanceUIDs: readonly string[]): SQL {
  if (seriesInstanceUIDs.length === 0) return sql`false`;
  const isWanted = inArray(series.seriesInstanceUID, [...seriesInstanceUIDs]);
  return sql`exists (select from ${series} where ${and(eq(series.studyId, studies.id), isWanted)})`;
}

/** What a series must be. All that is wanted of the members of one sequence has to be in one item (PS3.4 §C.2.2.2.6). */
export function seriesConditions(matches: readonly QidoMatch[]): (SQL | undefined)[] {
  return [
    ...matches.filter((match) => !isOfSequence(match)).map(seriesCondition),
    ...bySequence(matches).map(({ tag, ofItem }) => hasKept(series.attributes, tag, ofItem.map(isItem))),
  ];
}

function seriesCondition({ path: [attribute], time, wanted }: QidoMatch): SQL | undefined {
  if (!attribute) return undefined;
  const { tag } = attribute;
  if (time) {
    const [day, ofDay] = [tag, time.tag].map((one) => firstKept(series.attributes, one));
    return isValue(sql`concat(${day}, translate(${ofDay}, ':', ''))`, wanted);
  }
  const column = seriesNumbers[tag] ?? seriesTexts[tag];
  return column ? isValue(sql`${column}`, wanted) : isKeptValue(series.attributes, attribute, wanted);
}

/** The first value of an attribute among those kept as DICOM JSON. */
function firstKept(column: AnyPgColumn, tag: string): SQL {
  return sql`(${column} #>> array[${tag}, 'Value', '0']::text[])`;
}

/** Compares an attribute among those kept as DICOM JSON. */
function isKeptValue(column: AnyPgColumn, attribute: QidoAttribute, wanted: Wanted): SQL {
  return hasKept(column, attribute.tag, [isKept(sql`item`, attribute, wanted)]);
}

/** Whether one value or item of an attribute among those kept as DICOM JSON meets all conditions, which name it `item`. */
function hasKept(column: AnyPgColumn, tag: string, conditions: readonly (SQL | undefined)[]): SQL {
  return sql`exists (select from jsonb_array_elements(${column} -> ${tag} -> 'Value') as item where ${and(...conditions)})`;
}

/** Compares a member of the item of a sequence. */
function isItem({ path: [member, ...deeper], wanted }: QidoMatch): SQL | undefined {
  // Only the members of the first sequence are kept.
  if (!member || deeper.length > 0) return sql`false`;
  return isKept(sql`item #> array[${member.tag}, 'Value', '0']::text[]`, member, wanted);
}

/** Compares a value in DICOM JSON; a name by each of its groups and as a whole. */
function isKept(value: SQL, { vr }: QidoAttribute, wanted: Wanted): SQL | undefined {
  if (vr !== "PN") return isValue(sql`((${value}) #>> '{}')`, wanted);
  const name = sql`(case when jsonb_typeof(${value}) = 'object' then ${value} end)`;
  const groups = sql`(select group_text.value from jsonb_each_text(${name}) as group_text union
    select concat_ws('=', ${name} ->> 'Alphabetic', ${name} ->> 'Ideographic', ${name} ->> 'Phonetic')) as name (text)`;
  return sql`exists (select from ${groups} where ${isValue(foldedName(sql`name.text`), wanted)})`;
}

/** Compares a text or number as DICOM writes it; names are folded already. */
function isValue(value: SQL, wanted: Wanted): SQL | undefined {
  switch (wanted.kind) {
    case "list": {
      const isOne = sql`${value} = any(${sql.param([...wanted.values])}::text[])`;
      if (!wanted.patterns) return isOne;
      return sql`(${isOne} or ${value} like any(${sql.param(wanted.patterns.map(likePattern))}::text[]))`;
    }
    case "number":
      return sql`${value}::text = ${String(wanted.value)}`;
    case "range": {
      const { from, to } = wanted;
      const after = from === undefined ? undefined : sql`${value} >= ${from}`;
      return and(after, to === undefined ? undefined : sql`left(${value}, ${to.length}::int) <= ${to}`);
    }
    case "moments":
      // No date time is kept beside studies and series.
      return sql`false`;
    case "text":
      return sql`${value} like ${likePattern(wanted.isName ? foldName(wanted.pattern) : wanted.pattern)}`;
    case "words":
      return and(...wordsOf(wanted.words).map((word) => begins(value, word)));
    case "any":
      return anyOf(wanted.of.map((one) => isValue(value, one)));
  }
}

function anyOf(conditions: readonly (SQL | undefined)[]): SQL | undefined {
  return conditions.length > 0 ? or(...conditions) : sql`false`;
}

/** Whether a word of a folded text begins so. */
function begins(folded: SQL | AnyPgColumn, word: string): SQL {
  return sql`(' ' || ${folded}) like ${`% ${escapeLike(word)}%`}`;
}

/** Folds a name as the list's column is folded. */
function foldedName(name: SQL): SQL {
  // Latin accents, and the marks that make か into が.
  const plain = sql`regexp_replace(normalize(${name}, NFKD), '[\\u0300-\\u036f\\u3099\\u309a]+', '', 'g')`;
  return sql`btrim(regexp_replace(lower(${plain}), '[\\^=\\s]+', ' ', 'g'))`;
}

/** The wildcards of DICOM as those of `like`. */
function likePattern(pattern: string): string {
  return escapeLike(pattern).replaceAll("*", "%").replaceAll("?", "_");
}
