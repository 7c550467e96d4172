import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import { connectDatabase } from "../../../src/server/db/client.ts";
import { moveToSetBackClock } from "../../../src/server/jobs/clock-set-back.repo.ts";
import { createJobs, type Jobs } from "../../../src/server/jobs/jobs.ts";
import { defineQueue } from "../../../src/server/jobs/queue.ts";
import { watchClock } from "../../../src/server/jobs/watch-clock.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(240_000);

const log = createLogger({ level: "error", write: () => {} });

let database: TestDatabase;
let jobs: Jobs;
beforeAll(async () => {
  database = await createTestDatabase({ migrations: [] });
  jobs = await createJobs({ url: database.url, log, pollIntervalSeconds: 0.5 });
});
afterAll(async () => {
  await jobs.stop(1000);
  await database.drop();
});

/** As if the database's clock had been 400 days ahead while what is there now was written, and was then set back. */
async function setClockBack(): Promise<void> {
  const ahead = sql`interval '400 days'`;
  await database.db.execute(sql`update pgboss.version set cron_on = now() + ${ahead}`);
  await database.db.execute(
    sql`update pgboss.queue set monitor_claim_on = now() + ${ahead}, maintain_on = now() + ${ahead}`,
  );
  await database.db.execute(sql`update pgboss.job set start_after = start_after + ${ahead}, keep_until = keep_until + ${ahead},
    started_on = started_on + ${ahead}, heartbeat_on = heartbeat_on + ${ahead}, completed_on = completed_on + ${ahead},
    created_on = case when retry_count > 0 then created_on else created_on + ${ahead} end`);
}

test("a retry and a delayed job of a clock that was ahead run after their delay once it is set back", async () => {
  const retried = defineQueue<{ n: number }>("clock.retried", {
    retryDelaySeconds: 2,
    retryDelayMaxSeconds: 2,
  });
  const delayed = defineQueue<{ n: number }>("clock.delayed", { exclusive: true });
  const attempts: number[] = [];
  const ran: number[] = [];
  await jobs.work(retried, async (_data, { attempt }) => {
    attempts.push(attempt);
    if (attempt === 1) throw new Error("not yet");
  });
  await jobs.work(delayed, async ({ n }) => void ran.push(n));
  await jobs.enqueue(retried, { n: 1 });
  await jobs.enqueue(delayed, { n: 1 }, { singletonKey: "k", runAfterSeconds: 3 });
  await jobs.enqueue(delayed, { n: 2 }, { singletonKey: "later", runAfterSeconds: 3_600 });
  await until(async () => {
    const rows = await database.db.execute(sql`select from pgboss.job where state = 'retry'`);
    return rows.length === 1;
  });
  await setClockBack();
  await using _watch = await watchClock({ db: database.db, log });
  await until(() => attempts.length === 2 && ran.length === 1);
  expect(ran).toEqual([1]);
  const [waiting] = await database.db.execute<{ seconds: number }>(sql`
    select extract(epoch from start_after - now())::int as seconds from pgboss.job where singleton_key = 'later'`);
  expect(waiting?.seconds).toBeWithin(3_500, 3_601);
});

test("a job whose process died while the clock was ahead is done by another server once it is set back", async () => {
  const queue = defineQueue<{ n: number }>("clock.dead");
  await jobs.enqueue(queue, { n: 1 });
  await database.db.execute(sql`update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now()
    where name = 'clock.dead'`);
  await setClockBack();
  await using _watch = await watchClock({ db: database.db, log });
  const ran: number[] = [];
  await jobs.work(queue, async ({ n }) => void ran.push(n));
  await until(() => ran.length === 1);
});

test("schedules go on after the clock was set back under a server that runs", async () => {
  const queue = defineQueue("clock.scheduled");
  let runs = 0;
  await using _watch = await watchClock({ db: database.db, log }, { everyMs: 200 });
  await jobs.work(queue, async () => void runs++);
  await jobs.schedule(queue, "* * * * *", {});
  await setClockBack();
  await until(() => runs > 0);
});

test("more jobs than the database moves within a statement's time are moved, too", async () => {
  await using held = new AsyncDisposableStack();
  const brief = connectDatabase({ url: database.url, statementTimeoutMs: 2_000 });
  held.defer(() => brief.close());
  const queue = defineQueue<{ n: number }>("clock.many");
  await jobs.enqueue(queue, { n: 1 }, { runAfterSeconds: 3_600 });
  await database.db.execute(sql`insert into pgboss.job (name, start_after, policy)
    select name, start_after, policy from pgboss.job, generate_series(1, 399) where name = ${queue.name}`);
  await setClockBack();
  await database.db.execute(sql`create function dawdle() returns trigger language plpgsql as
    'begin perform pg_sleep(0.01); return new; end'`);
  await database.db.execute(
    sql`create trigger slow before update on pgboss.job for each row execute function dawdle()`,
  );
  held.defer(async () => void (await database.db.execute(sql`drop function dawdle cascade`)));
  await moveToSetBackClock(brief.db, { atOnce: 40 });
  const late = await database.db.execute(sql`select from pgboss.job
    where name = ${queue.name} and start_after > now() + interval '2 hours'`);
  expect(late.length).toBe(0);
});

test("dead processes are looked for after the clock was set back before a schedule was due", async () => {
  await using _watch = await watchClock({ db: database.db, log }, { everyMs: 200 });
  await database.db.execute(sql`update pgboss.queue set monitor_claim_on = now() + interval '400 days'`);
  await until(async () => {
    const ahead = await database.db.execute(sql`select from pgboss.queue
      where monitor_claim_on > now() + interval '1 minute'`);
    return ahead.length === 0;
  });
});

test("a waiting job outlives a clock that was years behind for a while", async () => {
  const queue = defineQueue<{ n: number }>("clock.behind");
  await jobs.enqueue(queue, { n: 1 }, { runAfterSeconds: 3_600 });
  const years = sql`interval '26 years'`;
  // Seen from a clock that is behind, what was written before is ahead.
  await database.db.execute(sql`update pgboss.job set created_on = created_on + ${years},
    start_after = start_after + ${years}, keep_until = keep_until + ${years} where name = ${queue.name}`);
  await moveToSetBackClock(database.db);
  const [job] = await database.db.execute(sql`
    select keep_until - ${years} > now() + interval '1 day' as is_kept from pgboss.job where name = ${queue.name}`);
  expect(job?.is_kept).toBe(true);
});
