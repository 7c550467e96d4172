import { sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { PLANNED_ANEW } from "../../db/preparing.ts";
import { matchesOf } from "./newest-page.repo.ts";
import { partsOf, type Search } from "./search.repo.ts";

/** How many studies a search finds on all its pages. */
export async function countStudies(db: DbOrTx, search: Search): Promise<number> {
  const counts = (await partsOf(db, { ...search, ofSeries: [] })).map(
    (part) => sql`select count(*) as studies from ${matchesOf(part)}`,
  );
  const [row] = await db.execute<{ total: number }>(
    sql`select sum(studies)::int as total from (${sql.join(counts, sql` union all `)}) as counted
      ${sql.raw(PLANNED_ANEW)}`,
  );
  return row?.total ?? 0;
}
