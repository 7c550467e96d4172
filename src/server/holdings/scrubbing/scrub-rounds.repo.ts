import { and, desc, eq, gt, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { DAY_MS } from "../../../shared/units.ts";
import type { Db, Tx } from "../../db/client.ts";
import { type ScrubRound, scrubRounds } from "./scrub-rounds.table.ts";

/** An arbitrary number that nothing else in the database locks. */
const ROUNDS_KEY = 4_829_117_306;

/** The newest round, finished or not. Of those that were moved to one time, that with the highest id began last. */
export async function findLastRound(db: Db | Tx): Promise<ScrubRound | undefined> {
  const [round] = await db
    .select()
    .from(scrubRounds)
    .orderBy(desc(scrubRounds.startedAt), desc(scrubRounds.id))
    .limit(1);
  return round;
}

/** Lets one node at a time decide whether a round begins. */
export async function lockRounds(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ROUNDS_KEY}::bigint)`);
}

/**
 * Moves rounds that are over a day ahead of `now` to it: the clock was ahead when they began or ended, and the next would wait until that
 * time comes.
 */
export async function moveToSetBackClock(tx: Tx, now: Date): Promise<void> {
  const { startedAt, movedAt, finishedAt } = scrubRounds;
  const limit = new Date(now.getTime() + DAY_MS);
  const notAhead = (column: PgColumn) =>
    sql`case when ${column} > ${sql.param(limit, startedAt)} then ${sql.param(now, startedAt)} else ${column} end`;
  await tx
    .update(scrubRounds)
    .set({ startedAt: notAhead(startedAt), movedAt: notAhead(movedAt), finishedAt: notAhead(finishedAt) })
    .where(or(gt(startedAt, limit), gt(finishedAt, limit)));
}

export async function insertRound(tx: Tx, round: typeof scrubRounds.$inferInsert): Promise<ScrubRound> {
  const [row] = await tx.insert(scrubRounds).values(round).returning();
  if (!row) throw new Error("an insert without conflict returned no row");
  return row;
}

/** Moves a round on; returns `false` if another node moved it meanwhile. */
export async function moveRound(tx: Db | Tx, from: ScrubRound, to: ScrubRound): Promise<boolean> {
  const { id, objectsRead, stage, objectId } = from;
  const rows = await tx
    .update(scrubRounds)
    .set(to)
    .where(
      and(
        eq(scrubRounds.id, id),
        eq(scrubRounds.objectsRead, objectsRead),
        eq(scrubRounds.stage, stage),
        objectId === null ? isNull(scrubRounds.objectId) : eq(scrubRounds.objectId, objectId),
        isNull(scrubRounds.finishedAt),
      ),
    )
    .returning({ id: scrubRounds.id });
  return rows.length === 1;
}

/** Finished rounds, newest first. */
export async function listFinishedRounds(db: Db, limit: number): Promise<ScrubRound[]> {
  return await db
    .select()
    .from(scrubRounds)
    .where(isNotNull(scrubRounds.finishedAt))
    .orderBy(desc(scrubRounds.startedAt), desc(scrubRounds.id))
    .limit(limit);
}

/** Deletes rounds that ended before `before`. */
export async function forgetRounds(db: Db, before: Date): Promise<void> {
  await db.delete(scrubRounds).where(lt(scrubRounds.finishedAt, before));
}
