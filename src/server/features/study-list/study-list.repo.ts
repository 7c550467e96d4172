import { and, eq, gte, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { StudyListQuery } from "../../../shared/api/studies.ts";
import { foldName, gramsOf } from "../../../shared/dicom/folded-name.ts";
import { modalitiesCalled } from "../../../shared/dicom/modality-words.ts";
import { fold } from "../../../shared/fold.ts";
import type { DbOrTx } from "../../db/client.ts";
import { contains } from "../../db/like.ts";
import { PLANNED_ANEW } from "../../db/preparing.ts";
import { users } from "../accounts/users/users.table.ts";
import { type Caller, talliesOf, visibleParts } from "../studies/studies.repo.ts";
import { grants, type StudyRow, studies, studyTallies } from "../studies/studies.table.ts";

export interface StudyListRow {
  study: StudyRow;
  ownerName: string;
}

/** What is known about a caller's own studies before any of them is read, without those that others granted them. */
export interface StudyTally {
  /** By modality as the studies have it, `""` for none. */
  byModality: Record<string, number>;
  /** Every count of these studies is valid while this stays the same. */
  revision: string;
  hasGrants: boolean;
  /** Whether the studies that the caller may see, granted ones included, are of more than one patient. */
  hasSeveralPatients: boolean;
}

export interface StudyCount {
  revision: string;
  count: number;
}

export interface WantedPage {
  query: StudyListQuery;
  limit: number;
  offset: number;
  tally: StudyTally;
  /** How many of the tallied studies pass the filters. */
  matching: number;
}

const plannedAnew = sql.raw(PLANNED_ANEW);

const sortKeys: Record<NonNullable<StudyListQuery["sort"]>, AnyPgColumn[]> = {
  studyDate: [studies.studyDate, studies.studyTime],
  studyDescription: [studies.descriptionFolded],
  patientName: [studies.patientNameFolded],
  modality: [studies.modality],
  imagesReceived: [studies.instanceCount],
  seriesCount: [studies.seriesCount],
  createdAt: [studies.createdAt],
};

export async function readStudyTally(db: DbOrTx, caller: Caller): Promise<StudyTally> {
  const [row] = await db.execute<{
    byModality: StudyTally["byModality"];
    revision: string;
    hasGrants: boolean;
    hasSeveralPatients: boolean;
  }>(sql`
    select
      (select coalesce(json_object_agg(modality, studies), '{}') from (
        select ${studyTallies.modality}, sum(${studyTallies.studies}) as studies from ${studyTallies}
        where ${talliesOf(caller)} group by 1 having sum(${studyTallies.studies}) > 0
      ) as tally) as "byModality",
      ${revisionFor(caller)} as revision,
      exists (select from ${grants} where ${grants.userId} = ${caller.userId}) as "hasGrants",
      (${severalPatients(caller)}) as "hasSeveralPatients"`);
  if (!row) throw new Error("a select without from answered no row");
  return row;
}

/** Whether more than one patient name is seen: the first and the last of the own ones, and those of granted studies. */
function severalPatients(caller: Caller): SQL {
  const { own, granted } = visibleParts(caller);
  const name = studies.patientNameFolded;
  const end = (direction: SQL) =>
    sql`(select ${name} as name from ${studies} where ${and(own)} order by ${name} ${direction} limit 1)`;
  return sql`select count(*) > 1 from (
    ${end(sql`asc nulls first`)} union ${end(sql`desc nulls last`)}
    union (select ${name} from ${studies} where ${granted} limit ${MAX_GRANTED_NAMES})
  ) as names`;
}

const MAX_GRANTED_NAMES = 1_000;

/** Counts the own studies that pass the filters, with the revision at which they were counted. */
export async function countOwnPart(
  db: DbOrTx,
  caller: Caller,
  query: StudyListQuery,
  tally: StudyTally,
): Promise<StudyCount> {
  const counts = ownConditions(caller, query, tally).map(
    (condition) => sql`(select count(*) from ${studies} where ${condition})`,
  );
  const [row] = await db.execute<{ revision: string; count: number }>(
    sql`select ${revisionFor(caller)} as revision, (${sql.join(counts, sql` + `)})::int as count ${plannedAnew}`,
  );
  if (!row) throw new Error("a select without from answered no row");
  return row;
}

export async function countGrantedPart(db: DbOrTx, caller: Caller, query: StudyListQuery): Promise<number> {
  return await db.$count(studies, grantedCondition(caller, query));
}

/** Whether a query is about studies that others granted too, and there are any. */
export function seesGranted({ whose }: StudyListQuery, { hasGrants }: StudyTally): boolean {
  return hasGrants && whose !== "own";
}

/** A page of the caller's visible studies; newest first unless the query says otherwise. */
export async function listStudies(db: DbOrTx, caller: Caller, wanted: WantedPage): Promise<StudyListRow[]> {
  const { query, limit, offset, tally } = wanted;
  const order = orderOf(query);
  const conditions = ownConditions(caller, query, tally);
  if (seesGranted(query, tally)) conditions.push(grantedCondition(caller, query));
  const firstOfEach = conditions.map((condition) =>
    firstBy(order, condition, limit + offset, isSparse(wanted)),
  );
  const ids = sql`select id from (${sql.join(firstOfEach, sql` union all `)}) as found
    order by ${order.byName} limit ${limit} offset ${offset}`;
  return await db
    .select({ study: studies, ownerName: users.name })
    .from(studies)
    .innerJoin(users, eq(users.id, studies.accountId))
    .where(sql`${studies.id} in (${ids}) ${plannedAnew}`)
    .orderBy(order.byColumn);
}

/** Reads one study with the columns of the list. */
export async function findListedStudy(db: DbOrTx, studyId: string): Promise<StudyListRow | undefined> {
  const [row] = await db
    .select({ study: studies, ownerName: users.name })
    .from(studies)
    .innerJoin(users, eq(users.id, studies.accountId))
    .where(eq(studies.id, studyId));
  return row;
}

/**
 * Whether fetching all matches costs less than walking the sort index until a page is full. PostgreSQL only estimates how many
 * match; here the number is known.
 */
function isSparse({ query, matching, limit, offset, tally }: WantedPage): boolean {
  const all = Object.values(tally.byModality).reduce((sum, count) => sum + count, 0);
  const walked = ((limit + offset) * all) / matching;
  return matching * (hasIndexOfItsOwn(query) ? 1 : ROWS_READ_PER_MATCH) < walked;
}

/** How many studies that fail another filter an index scan on one filter reads for each study that passes all. */
const ROWS_READ_PER_MATCH = 20;
/** The shortest text that a trigram index can find. */
const TRIGRAM = 3;

function hasIndexOfItsOwn(query: StudyListQuery): boolean {
  const texts = [query.patientName, query.patientID, query.accessionNumber, query.description].filter(
    Boolean,
  );
  const others = [query.search, modalityOf(query), query.startDate ?? query.endDate].filter(Boolean);
  const isShort = texts.some((text = "") => fold(text).length < TRIGRAM);
  return texts.length + others.length <= 1 && !isShort;
}

/**
 * Ids and sort keys of the first studies. Sparse matches are all fetched and then sorted: `offset 0` keeps these two steps apart.
 */
function firstBy(order: Order, condition: SQL | undefined, count: number, sparse: boolean): SQL {
  const keys = sql`select ${order.keys} from ${studies} where ${condition}`;
  return sparse
    ? sql`(select * from (${keys} offset 0) as matching order by ${order.byName} limit ${count})`
    : sql`(${keys} order by ${order.byColumn} limit ${count})`;
}

interface Order {
  keys: SQL;
  byColumn: SQL;
  byName: SQL;
}

/** The sort order of an index, or its exact reverse. Ties are ordered by id, so that no study is on two pages. */
function orderOf({ sort = "studyDate", order }: StudyListQuery): Order {
  const direction = order === "asc" ? sql`asc nulls first` : sql`desc nulls last`;
  const columns = [...sortKeys[sort], studies.id];
  const names = [...sortKeys[sort].map((_, index) => sql.identifier(`key${index}`)), sql.identifier("id")];
  const list = (parts: (SQL | undefined)[]) =>
    sql.join(
      parts.filter((part) => part !== undefined),
      sql`, `,
    );
  return {
    keys: list(columns.map((column, index) => sql`${column} as ${names[index]}`)),
    byColumn: list(columns.map((column) => sql`${column} ${direction}`)),
    byName: list(names.map((name) => sql`${name} ${direction}`)),
  };
}

/** Conditions for the caller's own studies that pass the filters. A study meets at most one of them, and each has an index. */
function ownConditions(caller: Caller, query: StudyListQuery, tally: StudyTally): (SQL | undefined)[] {
  const { own } = visibleParts(caller);
  const modality = modalityOf(query);
  const isModality = modality ? inArray(studies.modality, modalitiesWith(modality, tally)) : undefined;
  const rest = and(own, textsMatch(query), isModality);
  return examinedBetween(query).map((examined) => and(rest, examined));
}

function grantedCondition(caller: Caller, query: StudyListQuery): SQL | undefined {
  const { granted } = visibleParts(caller);
  const modality = modalityOf(query);
  const isModality = modality ? contains(studies.modality, modality) : undefined;
  return and(granted, textsMatch(query), isModality, or(...examinedBetween(query)));
}

function textsMatch(query: StudyListQuery): SQL | undefined {
  return and(
    ...wordsOf(query.search).map(isFound),
    hasName(query.patientName),
    containsFolded(studies.patientIDFolded, query.patientID),
    containsFolded(studies.accessionNumberFolded, query.accessionNumber),
    containsFolded(studies.descriptionFolded, query.description),
  );
}

/** A search has so many different words; further ones are ignored. */
const MAX_WORDS = 10;

function wordsOf(search = ""): string[] {
  return [...new Set(fold(search).split(" "))].filter(Boolean).slice(0, MAX_WORDS);
}

/** A study has the word, or a modality that people call by it. The index finds a short word only where one begins. */
function isFound(word: string): SQL | undefined {
  const text = word.length < TRIGRAM ? ` ${word}` : word;
  const codes = modalitiesCalled(word).map((code) => contains(studies.searchFolded, ` ${code} `));
  return or(containsAsTyped(studies.searchFolded, text), ...codes, isInGroups(word));
}

/** A name in the form of DICOM, `family^given`, finds itself. */
function hasName(name = ""): SQL | undefined {
  const folded = foldName(name);
  return folded ? or(containsAsTyped(studies.patientNameFolded, folded), isInGroups(folded)) : undefined;
}

/**
 * Whether a form of the name that the list does not show has the text, such as 山田 of Yamada: with or without a space between
 * family and given name, as people write it. Undefined for a text of ASCII, which the shown form has.
 */
function isInGroups(folded: string): SQL | undefined {
  const groups = studies.patientNameGroups;
  if (gramsOf(folded).length === 0) return undefined;
  return and(isNotNull(groups), contains(sql`replace(${groups}, ' ', '')`, folded.replaceAll(" ", "")));
}

function containsFolded(column: AnyPgColumn, text: string | undefined): SQL | undefined {
  const folded = text && fold(text);
  return folded ? containsAsTyped(column, folded) : undefined;
}

/** A phone types ’ where a keyboard types ', and so may whoever wrote the name: Sant’Ana finds Sant'Ana, and it the other. */
function containsAsTyped(column: AnyPgColumn, text: string): SQL | undefined {
  const forms = new Set([text, text.replaceAll("’", "'"), text.replaceAll("'", "’")]);
  return or(...[...forms].map((form) => contains(column, form)));
}

/** The requested modality; a study may have several. */
export function modalityOf({ modality }: StudyListQuery): string | undefined {
  return modality === "all" || modality === "" ? undefined : modality;
}

/** The modality values in the tally that contain the requested modality. */
export function modalitiesWith(modality: string, { byModality }: StudyTally): string[] {
  return Object.keys(byModality).filter((known) => known.includes(modality));
}

/**
 * Two disjoint date conditions, since studies without a date pass; only `undefined` if no dates are given.
 */
function examinedBetween({ startDate, endDate }: StudyListQuery): (SQL | undefined)[] {
  if (!startDate && !endDate) return [undefined];
  const from = startDate ? gte(studies.studyDate, startDate) : undefined;
  const to = endDate ? lte(studies.studyDate, endDate) : undefined;
  return [and(from, to), isNull(studies.studyDate)];
}

function revisionFor(caller: Caller): SQL {
  const ids = sql`string_agg(${studyTallies.id}::text, '' order by ${studyTallies.id})`;
  return sql`(select coalesce(md5(${ids}), '') from ${studyTallies} where ${talliesOf(caller)})`;
}
