import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { inBatches } from "./in-batches.ts";

/** Less says nothing: pg-boss may write times that are some seconds ahead. */
const AHEAD = "interval '1 minute'";
/** A statement may take no longer than half a minute. */
const JOBS_AT_ONCE = 10_000;

/** When pg-boss last did something for all queues, and for each. It does it again some time after. */
const PASSES = ["cron_on", "bam_on", "flow_on", "reindex_on"];
const QUEUE_PASSES = ["monitor_claim_on", "monitor_on", "maintain_on"];
const JOB_TIMES = ["created_on", "started_on", "completed_on", "heartbeat_on"];

/** Whether pg-boss last did something, which it does often, at a time that the database's clock has yet to come to. */
export async function wasClockSetBack(db: Db): Promise<boolean> {
  const rows = await db.execute(sql`select 1 from pgboss.version where ${isAhead(PASSES)}
    union all select 1 from pgboss.queue where ${isAhead(QUEUE_PASSES)} limit 1`);
  return rows.length > 0;
}

/**
 * Moves what was written while the database's clock was ahead to now: schedules, retries, delayed jobs and the search for dead processes
 * would wait until that time comes. Delays keep their length. Idempotent. Returns how many jobs were moved.
 *
 * The time until which a job is kept stays: if the clock is behind now, pg-boss deletes no waiting job once it is right again.
 * @param options.atOnce how many jobs a statement moves
 */
export async function moveToSetBackClock(db: Db, { atOnce = JOBS_AT_ONCE } = {}): Promise<number> {
  let moved = 0;
  await inBatches(atOnce, async (limit) => {
    const count = await moveJobs(db, limit);
    moved += count;
    return count;
  });
  // Last, so that the clock counts as set back until all jobs are moved.
  await db.transaction(async (tx) => {
    await tx.execute(sql`update pgboss.version set ${notAhead(PASSES)} where ${isAhead(PASSES)}`);
    // Until then pg-boss counts no jobs. It never waits longer than an hour.
    await tx.execute(sql`update pgboss.version set monitor_backoff_on = null
      where monitor_backoff_on > now() + interval '2 hours'`);
    await tx.execute(sql`update pgboss.queue set ${notAhead(QUEUE_PASSES)} where ${isAhead(QUEUE_PASSES)}`);
  });
  return moved;
}

/** Moves some jobs, those that are not done first. Returns how many; those that somebody else is changing are left out. */
async function moveJobs(db: Db, limit: number): Promise<number> {
  // A retry waits from when it was tried last.
  const aheadBy = sql`greatest(created_on - now(), started_on - now(), interval '0')`;
  const { count } = await db.execute(sql`update pgboss.job set ${notAhead(JOB_TIMES)},
    start_after = start_after - ${aheadBy}
    where (name, id) in (select name, id from pgboss.job where ${isAhead(JOB_TIMES)}
      order by state limit ${limit} for update skip locked)`);
  return count;
}

function isAhead(columns: readonly string[]): SQL {
  return sql.raw(`greatest(${columns.join(", ")}) > now() + ${AHEAD}`);
}

/** A column without a time stays without. */
function notAhead(columns: readonly string[]): SQL {
  return sql.raw(
    columns.map((name) => `${name} = case when ${name} > now() then now() else ${name} end`).join(", "),
  );
}
