import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { reports } from "../reports/reports.table.ts";
import { studies } from "../studies/studies.table.ts";

/** From `from` on and before `before`; an end left out is open. */
export interface TimeRange {
  from?: Date | undefined;
  before?: Date | undefined;
}

/** A volume is as old as the newest instances that it brought; what only heals a study brings none. */
const isVolume = and(eq(storedObjects.studyId, studies.id), eq(storedObjects.kind, "volume"));
const since = (time: Date) =>
  sql`exists (select from ${storedObjects} where ${and(isVolume, gte(storedObjects.createdAt, time))})`;

/** Whether a study last got instances in a range of time. */
export function isStudyChangedIn({ from, before }: TimeRange): SQL | undefined {
  return and(from && since(from), before && sql`not ${since(before)}`);
}

/** Whether a study's report was attached in a range of time. */
export function isReportChangedIn({ from, before }: TimeRange): SQL {
  const { studyId, createdAt } = reports;
  const isWanted = and(
    eq(studyId, studies.id),
    from && gte(createdAt, from),
    before && lt(createdAt, before),
  );
  return sql`exists (select from ${reports} where ${isWanted})`;
}

/** When some studies last got instances, by their ids. */
export async function findLastChanges(db: DbOrTx, studyIds: string[]): Promise<ReadonlyMap<string, Date>> {
  if (studyIds.length === 0) return new Map();
  const { studyId, createdAt } = storedObjects;
  const rows = await db
    .select({ studyId, at: sql`max(${createdAt})`.mapWith(createdAt) })
    .from(storedObjects)
    .where(and(sql`${studyId} = any(${sql.param(studyIds)}::uuid[])`, eq(storedObjects.kind, "volume")))
    .groupBy(studyId);
  return new Map(rows.map((row) => [row.studyId, row.at]));
}
