import { and, type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { PLANNED_ANEW } from "../../db/preparing.ts";
import type { Page } from "../dicomweb/qido/parse-qido.ts";
import { studies } from "../studies/studies.table.ts";

/**
 * A search for a text. PostgreSQL guesses from a sample how many studies have it. If the sample happens to hold a rare text, PostgreSQL
 * takes it for frequent and walks the whole account for a few studies.
 */
export interface TextSearch extends Page {
  /** The studies to look through, as the index of the newest gives them: kept, of an account, of a period. */
  range: SQL | undefined;
  /** All that the search wants of them. */
  wanted: SQL | undefined;
  /** What follows from `wanted` and has an index, but takes long for each study; undefined if `wanted` has indexes enough. */
  follows?: SQL | undefined;
  /**
   * What is found in `matching`, which has `id`, `day` and `time` of studies in no order: rows with an `id` and the columns of `order`.
   */
  found: SQL;
  /** Further rows of this kind, each with few studies behind them. */
  others: SQL[];
  order: SQL;
  /** How many studies `range` has at most. */
  kept: SQL;
  /** How many ranges the page is looked for in: each is walked so much less at first. */
  ranges: number;
}

interface FoundPage extends Record<string, unknown> {
  ids: string[];
  /** Studies that were looked at, and those of them that match. */
  walked: number;
  matching: number;
  /** Rows found in these, at most as many as the page reaches. */
  found: number;
  kept: number;
}

/** The newest studies are looked at first, at least and at most so many. */
const FIRST_WALK = { atLeast: 500, atMost: 4_000 };
const WALKED_PER_WANTED = 10;
/** A further walk looks at so many times the studies that the first one lets expect, since matches are not spread evenly. */
const SLACK = 1.5;
/** Finding a match by its text's index and sorting it costs as much as walking so many studies. */
const WALKED_PER_FETCH = 2;

/**
 * Finds the ids of a page, newest first. It first walks a bounded number of the newest studies. If these show that matches are rare, it
 * fetches all matches by the text's index. So the cost does not depend on PostgreSQL's guess.
 */
export async function idsOfPage(db: DbOrTx, search: TextSearch): Promise<string[]> {
  const needed = search.limit + search.offset;
  const ofAll = Math.min(Math.max(needed * WALKED_PER_WANTED, FIRST_WALK.atLeast), FIRST_WALK.atMost);
  const walk = Math.ceil(ofAll / search.ranges);
  const first = await read(db, search, walk);
  if (isComplete(first, walk, needed)) return first.ids;
  const further = furtherWalk(first, needed);
  if (further !== undefined) {
    const second = await read(db, search, further);
    if (isComplete(second, further, needed)) return second.ids;
  }
  return (await read(db, search)).ids;
}

function isComplete({ walked, found }: FoundPage, walk: number, needed: number): boolean {
  return found >= needed || walked < walk;
}

/** How many of the newest studies should give the page; undefined if fetching all matches costs less. */
function furtherWalk({ walked, matching, found, kept }: FoundPage, needed: number): number | undefined {
  if (found === 0) return undefined;
  const walk = Math.ceil((SLACK * needed * walked) / found);
  const matches = (matching / walked) * kept;
  return walk < matches * WALKED_PER_FETCH ? walk : undefined;
}

/**
 * All that match, after `from`. `offset 0` keeps PostgreSQL from using an index of trigrams for a text that has none: it would read the
 * whole index.
 */
export function matchesOf({ range, wanted, follows }: Partial<TextSearch>): SQL {
  if (!follows) return sql`${studies} where ${and(range, wanted)}`;
  return sql`(select * from ${studies} where ${and(range, follows)} offset 0) as ${studies} where ${wanted}`;
}

/** Reads a page from the newest `walk` studies, or from all that match. `materialized` keeps PostgreSQL from mixing the two. */
async function read(db: DbOrTx, search: TextSearch, walk?: number): Promise<FoundPage> {
  const { range, wanted, found, others, order, kept, limit, offset } = search;
  const keys = sql`${studies.id} as id, ${studies.studyDate} as day, ${studies.studyTime} as time`;
  const newest = sql`${studies.studyDate} desc nulls last, ${studies.studyTime} desc nulls last, ${studies.id} desc nulls last`;
  const walked =
    walk === undefined
      ? sql`select ${keys}, true as is_match from ${matchesOf(search)}`
      : sql`select ${keys}, (${wanted ?? sql`true`}) is true as is_match
          from (select * from ${studies} where ${range} order by ${newest} limit ${walk}) as ${studies}`;
  const rows = [
    sql`select * from of_walked`,
    ...others.map((other) => sql`(${other} order by ${order} limit ${limit + offset})`),
  ];
  const [page] = await db.execute<FoundPage>(sql`
    with walked as materialized (${walked}), matching as (select * from walked where is_match),
      of_walked as materialized (${found} order by ${order} limit ${limit + offset})
    select (select count(*) from walked)::int as walked, (select count(*) from matching)::int as matching,
      (select count(*) from of_walked)::int as found, (${kept})::int as kept,
      array(select id from (${sql.join(rows, sql` union all `)}) as found
        order by ${order} limit ${limit} offset ${offset})::text[] as ids ${sql.raw(PLANNED_ANEW)}`);
  if (!page) throw new Error("a select without from answered no row");
  return page;
}
