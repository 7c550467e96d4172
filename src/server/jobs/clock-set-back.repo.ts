import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";

/** Less says nothing: pg-boss may write times that are some seconds ahead. */
const AHEAD = "interval '1 minute'";

/** When pg-boss last did something for all queues, and for each. It does it again some time after. */
const PASSES = ["cron_on", "bam_on", "flow_on", "reindex_on"];
const QUEUE_PASSES = ["monitor_claim_on", "monitor_on", "maintain_on"];
const JOB_TIMES = ["created_on", "started_on", "completed_on", "heartbeat_on"];

/** Whether schedules last ran at a time that the database's clock has yet to come to. */
export async function wasClockSetBack(db: Db): Promise<boolean> {
  const rows = await db.execute(sql`select from pgboss.version where cron_on > now() + ${sql.raw(AHEAD)}`);
  return rows.length > 0;
}

/**
 * Moves what was written while the database's clock was ahead to now: schedules, retries, delayed jobs and the search for dead processes
 * would wait until that time comes. Delays keep their length. Idempotent. Returns how many jobs were moved.
 */
export async function moveToSetBackClock(db: Db): Promise<number> {
  return await db.transaction(async (tx) => {
    await tx.execute(sql`update pgboss.version set ${notAhead(PASSES)} where ${isAhead(PASSES)}`);
    // Until then pg-boss counts no jobs. It never waits longer than an hour.
    await tx.execute(sql`update pgboss.version set monitor_backoff_on = null
      where monitor_backoff_on > now() + interval '2 hours'`);
    await tx.execute(sql`update pgboss.queue set ${notAhead(QUEUE_PASSES)} where ${isAhead(QUEUE_PASSES)}`);
    // A retry waits from when it was tried last.
    const aheadBy = sql`greatest(created_on - now(), started_on - now(), interval '0')`;
    const { count } = await tx.execute(sql`update pgboss.job set ${notAhead(JOB_TIMES)},
      start_after = start_after - ${aheadBy}, keep_until = keep_until - ${aheadBy}
      where ${isAhead(JOB_TIMES)}`);
    return count;
  });
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
