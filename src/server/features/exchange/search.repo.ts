import { and, eq, gte, inArray, isNotNull, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { isoDate } from "../../../shared/dicom/date.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { fold } from "../../../shared/fold.ts";
import type { DbOrTx } from "../../db/client.ts";
import { PLANNED_ANEW } from "../../db/preparing.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { foldName, wordsOf } from "../dicomweb/match-json.ts";
import type { Page, QidoMatch, Wanted } from "../dicomweb/parse-qido.ts";
import type { QidoAttribute } from "../dicomweb/qido-attributes.ts";
import { AVAILABILITY } from "../dicomweb/qido-json.ts";
import { type Caller, visibleParts } from "../studies/studies.repo.ts";
import {
  type InstanceValues,
  MAX_INDEXED_TEXT,
  type SeriesRow,
  type StudyRow,
  series,
  studies,
  studyTallies,
} from "../studies/studies.table.ts";

/** A search over everything that a caller may see. */
export interface Search {
  caller: Caller;
  /** Leaves out the caller's own studies, for a caller without a subscription. */
  isGrantedOnly: boolean;
  ofStudy: readonly QidoMatch[];
  ofSeries: readonly QidoMatch[];
  /** Leaves out all other studies. */
  ids?: readonly string[] | undefined;
  /** Leaves out studies without a report. */
  hasReport?: boolean;
}

export interface WideSearch extends Search, Page {}

export interface FoundSeries {
  study: StudyRow;
  series: SeriesRow;
  manifest: StoredObjectRow;
}

const plannedAnew = sql.raw(PLANNED_ANEW);
const falling = sql`desc nulls last`;

/** A page of studies, newest first. */
export async function searchStudies(db: DbOrTx, search: WideSearch): Promise<StudyRow[]> {
  const { limit, offset } = search;
  const keys = sql`${studies.id} as id, ${studies.studyDate} as day, ${studies.studyTime} as time`;
  const parts = await partsOf(db, search);
  const ids = pageOf(
    parts.map((part) => sql`select ${keys} from ${studies} where ${part}`),
    { order: sql`day ${falling}, time ${falling}, id ${falling}`, limit, offset },
  );
  return await db
    .select()
    .from(studies)
    .where(sql`${studies.id} in (${ids}) ${plannedAnew}`)
    .orderBy(...newestFirst());
}

/** A page of series, those of the newest study first. */
export async function searchSeries(db: DbOrTx, search: WideSearch): Promise<FoundSeries[]> {
  const { limit, offset } = search;
  const keys = sql`${series.id} as id, ${studies.studyDate} as day, ${studies.studyTime} as time, ${studies.id} as study_id,
    ${series.seriesNumber} as number, ${series.seriesInstanceUID} as uid`;
  const order = sql`day ${falling}, time ${falling}, study_id ${falling}, number nulls last, uid`;
  const isWanted = search.ofSeries.map(({ path, wanted }) => seriesCondition(path, wanted));
  const parts = await partsOf(db, search);
  const ids = pageOf(
    parts.map(
      (part) => sql`select ${keys} from ${studies} inner join ${series} on ${series.studyId} = ${studies.id}
        where ${and(part, ...isWanted)}`,
    ),
    { order, limit, offset },
  );
  return await db
    .select({ study: studies, series, manifest: storedObjects })
    .from(series)
    .innerJoin(studies, eq(studies.id, series.studyId))
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .where(sql`${series.id} in (${ids}) ${plannedAnew}`)
    .orderBy(...newestFirst(), sql`${series.seriesNumber} nulls last`, series.seriesInstanceUID);
}

function newestFirst(): SQL[] {
  return [studies.studyDate, studies.studyTime, studies.id].map((column) => sql`${column} ${falling}`);
}

/** The ids of a page over disjoint parts: each part is walked in its index's order no further than the page reaches. */
function pageOf(parts: SQL[], { order, limit, offset }: Page & { order: SQL }): SQL {
  const first = parts.map((part) => sql`(${part} order by ${order} limit ${limit + offset})`);
  return sql`select id from (${sql.join(first, sql` union all `)}) as found
    order by ${order} limit ${limit} offset ${offset}`;
}

/**
 * Conditions for the caller's own studies and for granted ones; a study meets at most one of them. The few studies whose columns the
 * upload form replaced are parts of their own, so that the others are found by the columns' indexes.
 */
export async function partsOf(db: DbOrTx, search: Search): Promise<(SQL | undefined)[]> {
  const { caller, isGrantedOnly, ofStudy, ids, hasReport } = search;
  const { own, granted } = visibleParts(caller);
  const parts = caller.role === "admin" ? [own] : isGrantedOnly ? [granted] : [own, granted];
  const wantedOf = (from: ValuesFrom, matches = ofStudy) => [
    ...matches.map(({ path, wanted }) => studyCondition(path, wanted, from)),
    ids === undefined ? undefined : ids.length > 0 ? inArray(studies.id, [...ids]) : sql`false`,
    hasReport ? studies.hasReport : undefined,
  ];
  if (!ofStudy.some(({ path: [first] }) => first && listColumns[first.tag]))
    return parts.map((part) => and(part, ...wantedOf("columns")));
  const modalities = await ownModalities(db, search);
  // The planner knows how many studies have a value, and nothing about patterns: a second condition would mislead it.
  const others = ofStudy.filter((match) => !isOfModalities(match));
  const ofColumns = (part: SQL | undefined) =>
    part === own ? [modalities, ...wantedOf("columns", others)] : wantedOf("columns");
  return parts.flatMap((part) => [
    and(part, isNull(studies.instanceValues), ...ofColumns(part)),
    and(part, isNotNull(studies.instanceValues), ...wantedOf("instances")),
  ]);
}

function isOfModalities({ path: [first] }: QidoMatch): boolean {
  return first?.tag === TagHex.ModalitiesInStudy;
}

/** The wanted modalities as the columns of own studies have them, with others or alone: known values are found by their index. */
async function ownModalities(db: DbOrTx, { caller, ofStudy }: Search): Promise<SQL | undefined> {
  const isWanted = ofStudy
    .filter(isOfModalities)
    .map(({ wanted }) => isSaid(TagHex.ModalitiesInStudy, sql`${studyTallies.modality}`, wanted));
  if (isWanted.length === 0) return undefined;
  const ofCaller = caller.role === "admin" ? undefined : eq(studyTallies.accountId, caller.userId);
  const rows = await db
    .selectDistinct({ modality: studyTallies.modality })
    .from(studyTallies)
    .where(and(ofCaller, ...isWanted));
  return inArray(
    studies.modality,
    rows.map(({ modality }) => modality),
  );
}

/** Where a study has what its instances say: in the columns of the list, or beside them because the upload form replaced these. */
type ValuesFrom = "columns" | "instances";

/** How a search reads one column of the list: as it is, and as the instances say where the upload form replaced it. */
interface ListColumn {
  key: keyof InstanceValues;
  column: AnyPgColumn;
  /** The column without case and accents, which has an index of its trigrams. */
  folded?: AnyPgColumn;
  /** Whether the folded column also has an index of whole values. */
  isIdentifier?: boolean;
}

const listColumns: Record<string, ListColumn> = {
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

const simpleOfStudy: Record<string, AnyPgColumn | SQL> = {
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

function studyCondition(path: readonly QidoAttribute[], wanted: Wanted, from: ValuesFrom): SQL | undefined {
  const [{ tag } = { tag: "" }] = path;
  if (tag === TagHex.StudyInstanceUID && wanted.kind === "list")
    return inArray(studies.studyInstanceUID, [...wanted.values]);
  const simple = simpleOfStudy[tag];
  if (simple) return isValue(sql`${simple}`, wanted);
  const listed = listColumns[tag];
  if (!listed) return isKeptValue(studies.attributes, path, wanted);
  if (from === "columns") return isListed(listed, wanted);
  const { key, column } = listed;
  const said = sql`(case when ${studies.instanceValues} ? ${key} then ${studies.instanceValues} ->> ${key}
    else ${column}::text end)`;
  return isSaid(tag, said, wanted);
}

/** Compares a column of the list, by its index where it has one. */
function isListed({ column, folded, key, isIdentifier }: ListColumn, wanted: Wanted): SQL | undefined {
  if (wanted.kind === "range" && (key === "studyDate" || key === "patientBirthDate")) {
    const from = wanted.from === undefined ? undefined : gte(column, isoDate(wanted.from));
    const to = wanted.to === undefined ? undefined : lte(column, isoDate(wanted.to));
    return and(isNotNull(column), from, to);
  }
  if (wanted.kind === "words" && folded) {
    // The trigram index finds the words, wherever they are in the text.
    const words = wordsOf(wanted.words);
    return and(
      ...words.flatMap((word) => [sql`${folded} like ${`%${escaped(word)}%`}`, begins(folded, word)]),
    );
  }
  if (wanted.kind !== "text" || !folded) return isSaid(TAG_OF[key], sql`${column}::text`, wanted);
  if (wanted.isName) return sql`${folded} like ${likePattern(foldName(wanted.pattern))}`;
  const pattern = fold(wanted.pattern);
  // Identifiers share most of their trigrams, but a whole one is found at once.
  const isWhole = isIdentifier && !/[*?]/.test(pattern);
  const found = isWhole
    ? eq(folded, pattern.slice(0, MAX_INDEXED_TEXT))
    : sql`${folded} like ${likePattern(pattern)}`;
  return and(found, isValue(sql`${column}`, wanted));
}

const TAG_OF: Partial<Record<keyof InstanceValues, string>> = Object.fromEntries(
  Object.entries(listColumns).map(([tag, { key }]) => [key, tag]),
);

/** Compares a text of the list, which has dates as `2026-01-31`, times as `10:20:30` and modalities between backslashes. */
function isSaid(tag: string | undefined, said: SQL, wanted: Wanted): SQL | undefined {
  if (tag === TagHex.ModalitiesInStudy && wanted.kind === "list") {
    return sql`string_to_array(${said}, '\\') && ${sql.param([...wanted.values])}::text[]`;
  }
  if (wanted.kind === "range") return isValue(sql`translate(${said}, '-:', '')`, wanted);
  return isValue(tag === TagHex.PatientName ? foldedName(said) : said, wanted);
}

function seriesCondition(path: readonly QidoAttribute[], wanted: Wanted): SQL | undefined {
  const [{ tag } = { tag: "" }] = path;
  const column = seriesNumbers[tag] ?? seriesTexts[tag];
  return column ? isValue(sql`${column}`, wanted) : isKeptValue(series.attributes, path, wanted);
}

/** Compares an attribute among those kept as DICOM JSON. */
function isKeptValue(
  column: AnyPgColumn,
  [attribute, ...inner]: readonly QidoAttribute[],
  wanted: Wanted,
): SQL | undefined {
  if (!attribute) return undefined;
  const values = sql`jsonb_array_elements(${column} -> ${attribute.tag} -> 'Value') as item`;
  const [member, ...deeper] = inner;
  // Only the members of the first sequence are kept.
  if (deeper.length > 0) return sql`false`;
  const value = member ? sql`item #> array[${member.tag}, 'Value', '0']::text[]` : sql`item`;
  const text = sql`coalesce(${value} ->> 'Alphabetic', ${value} #>> '{}')`;
  const isName = (member ?? attribute).vr === "PN";
  return sql`exists (select from ${values} where ${isValue(isName ? foldedName(text) : text, wanted)})`;
}

/** Compares a text or number as DICOM writes it; names are folded already. */
function isValue(value: SQL, wanted: Wanted): SQL | undefined {
  switch (wanted.kind) {
    case "list":
      return sql`${value} = any(${sql.param([...wanted.values])}::text[])`;
    case "number":
      return sql`${value}::text = ${String(wanted.value)}`;
    case "range": {
      const { from, to } = wanted;
      const after = from === undefined ? undefined : sql`${value} >= ${from}`;
      return and(after, to === undefined ? undefined : sql`left(${value}, ${to.length}::int) <= ${to}`);
    }
    case "text":
      return sql`${value} like ${likePattern(wanted.isName ? foldName(wanted.pattern) : wanted.pattern)}`;
    case "words":
      return and(...wordsOf(wanted.words).map((word) => begins(value, word)));
  }
}

/** Whether a word of a folded text begins so. */
function begins(folded: SQL | AnyPgColumn, word: string): SQL {
  return sql`(' ' || ${folded}) like ${`% ${escaped(word)}%`}`;
}

/** Folds a name as the list's column is folded. */
function foldedName(name: SQL): SQL {
  const plain = sql`regexp_replace(normalize(${name}, NFKD), '[\\u0300-\\u036f]+', '', 'g')`;
  return sql`btrim(regexp_replace(lower(${plain}), '[\\^=\\s]+', ' ', 'g'))`;
}

/** The wildcards of DICOM as those of `like`. */
function likePattern(pattern: string): string {
  return escaped(pattern).replaceAll("*", "%").replaceAll("?", "_");
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
