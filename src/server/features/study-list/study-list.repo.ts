import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { StudyListQuery } from "../../../shared/api/studies.ts";
import type { DbOrTx } from "../../db/client.ts";
import { PLANNED_ANEW } from "../../db/preparing.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { users } from "../accounts/users/users.table.ts";
import { grantsRevision, talliesRevision } from "../studies/grantors.repo.ts";
import { type Caller, ownPart, talliesOf } from "../studies/studies.repo.ts";
import { grants, type StudyRow, studies, studyTallies } from "../studies/studies.table.ts";
import { conditionsOf, hasIndexOfItsOwn, type ModalityTally } from "./study-filters.repo.ts";

export interface StudyListRow {
  study: StudyRow;
  ownerName: string;
}

/** What is known about a caller's own studies before any of them is read, without those that others granted them. */
export interface StudyTally extends ModalityTally {
  /** Every count of these studies is valid while this stays the same. */
  revision: string;
  /** Stays the same while the caller's grants do; empty if there are none. */
  grantsRevision: string;
  /** Whether the studies that the caller may see, granted ones included, are of more than one patient. */
  hasSeveralPatients: boolean;
}

export interface StudyCount {
  revision: string;
  count: number;
}

/** Studies that the same indexes give in every order: an account's. A study is in at most one part. */
export interface ListPart {
  conditions: (SQL | undefined)[];
  /** How many studies the indexes give; all must be fetched if that is unknown. */
  indexed: number | undefined;
  /** How many of them pass the filters. */
  matching: number;
}

export interface WantedPage {
  query: StudyListQuery;
  limit: number;
  offset: number;
  parts: ListPart[];
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
    grantsRevision: string;
    hasSeveralPatients: boolean;
  }>(sql`
    select
      (select coalesce(json_object_agg(modality, studies), '{}') from (
        select ${studyTallies.modality}, sum(${studyTallies.studies}) as studies from ${studyTallies}
        where ${talliesOf(caller)} group by 1 having sum(${studyTallies.studies}) > 0
      ) as tally) as "byModality",
      ${revisionFor(caller)} as revision,
      ${grantsRevision(caller)} as "grantsRevision",
      (${severalPatients(caller)}) as "hasSeveralPatients"`);
  if (!row) throw new Error("a select without from answered no row");
  return row;
}

/** Whether more than one patient name is seen: the first and the last of the own ones, and those of granted studies. */
function severalPatients(caller: Caller): SQL {
  const name = studies.patientNameFolded;
  const end = (direction: SQL) =>
    sql`(select ${name} as name from ${studies} where ${ownPart(caller)} order by ${name} ${direction} limit 1)`;
  const ofOwn = sql`${end(sql`asc nulls first`)} union ${end(sql`desc nulls last`)}`;
  if (caller.role === "admin") return sql`select count(*) > 1 from (${ofOwn}) as names`;
  // The first other name ends the search.
  return sql`select count(*) > 1 or exists (
      select from (${grantedNames(caller, MAX_GRANTED_NAMES)}) as granted
      where granted.name <> coalesce(min(names.name), (${grantedNames(caller, 1)}))
    ) from (${ofOwn}) as names`;
}

function grantedNames({ userId }: Caller, limit: number): SQL {
  const isSeen = and(eq(studies.id, grants.studyId), isKept(studies), ne(studies.accountId, userId));
  // Read by their index: for few of them PostgreSQL would rather look through the grants of all.
  return sql`select name from (select * from ${grants} where ${grants.userId} = ${userId} offset 0) as ${grants}
    cross join lateral (select ${studies.patientNameFolded} as name from ${studies} where ${isSeen} offset 0) as of_study
    limit ${limit}`;
}

const MAX_GRANTED_NAMES = 1_000;

/** Counts the own studies that pass the filters, with the revision at which they were counted. */
export async function countOwnPart(
  db: DbOrTx,
  caller: Caller,
  query: StudyListQuery,
  tally: StudyTally,
): Promise<StudyCount> {
  const counts = conditionsOf(ownPart(caller), query, tally).map(
    (condition) => sql`(select count(*) from ${studies} where ${condition})`,
  );
  const [row] = await db.execute<{ revision: string; count: number }>(
    sql`select ${revisionFor(caller)} as revision, (${sql.join(counts, sql` + `)})::int as count ${plannedAnew}`,
  );
  if (!row) throw new Error("a select without from answered no row");
  return row;
}

export interface GrantedCounts {
  revision: string;
  /** Of each part. */
  counts: number[];
}

/** Counts the studies in parts of those granted to the caller, with the revision of their grants and the studies of these accounts. */
export async function countGrantedParts(
  db: DbOrTx,
  caller: Caller,
  accountIds: string[],
  parts: Pick<ListPart, "conditions">[],
): Promise<GrantedCounts> {
  const counts = parts.map(({ conditions }) => {
    const ofEach = conditions.map((condition) => sql`(select count(*) from ${studies} where ${condition})`);
    return sql`(${sql.join(ofEach, sql` + `)})::int`;
  });
  const [row] = await db.execute<{ grants: string; tallies: string; counts: number[] }>(
    sql`select ${grantsRevision(caller)} as grants, ${talliesRevision(accountIds)} as tallies,
      json_build_array(${sql.join(counts, sql`, `)}) as counts ${plannedAnew}`,
  );
  if (!row) throw new Error("a select without from answered no row");
  return { revision: grantedRevision(row.grants, row.tallies), counts: row.counts };
}

/** Every count of granted studies is valid while this stays the same. */
export function grantedRevision(ofGrants: string, ofTallies: string): string {
  return `${ofGrants} ${ofTallies}`;
}

/** Whether a query is about studies that others granted too, and there are any. */
export function seesGranted({ whose }: StudyListQuery, { grantsRevision: revision }: StudyTally): boolean {
  return revision !== "" && whose !== "own";
}

/** A page of the studies in the parts; newest first unless the query says otherwise. */
export async function listStudies(db: DbOrTx, wanted: WantedPage): Promise<StudyListRow[]> {
  const { query, limit, offset, parts } = wanted;
  const order = orderOf(query);
  const firstOfEach = parts.flatMap((part) =>
    part.conditions.map((condition) => firstBy(order, condition, limit + offset, isSparse(part, wanted))),
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
function isSparse({ indexed, matching }: ListPart, { query, limit, offset }: WantedPage): boolean {
  if (indexed === undefined) return true;
  const walked = ((limit + offset) * indexed) / matching;
  return matching * (hasIndexOfItsOwn(query) ? 1 : ROWS_READ_PER_MATCH) < walked;
}

/** How many studies that fail another filter an index scan on one filter reads for each study that passes all. */
const ROWS_READ_PER_MATCH = 20;

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

function revisionFor(caller: Caller): SQL {
  const ids = sql`string_agg(${studyTallies.id}::text, '' order by ${studyTallies.id})`;
  return sql`(select coalesce(md5(${ids}), '') from ${studyTallies} where ${talliesOf(caller)})`;
}
