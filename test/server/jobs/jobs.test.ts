import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { listDeadLetters } from "../../../src/server/jobs/dead-letters.repo.ts";
import { createJobs, type Jobs } from "../../../src/server/jobs/jobs.ts";
import { DEAD_LETTERS, defineQueue, queueOfNode } from "../../../src/server/jobs/queue.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { startConnectionProxy } from "../../support/network/connection-proxy.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(240_000);

const FAST = { retryDelaySeconds: 1, retryDelayMaxSeconds: 1 };

let database: TestDatabase;
let jobs: Jobs;
const others: Jobs[] = [];
const logged: { event: string; level: string; queue?: string }[] = [];

beforeAll(async () => {
  database = await createTestDatabase({ migrations: [] });
  jobs = await start();
});
afterEach(async () => {
  for (const other of others.splice(0)) await other.stop(1000);
});
afterAll(async () => {
  await jobs.stop(1000);
  await database.drop();
});

/** Another server's jobs, which stop with the test at the latest. */
async function connect({ pollIntervalSeconds = 0.5 } = {}): Promise<Jobs> {
  const other = await start({ pollIntervalSeconds });
  others.push(other);
  return other;
}

function start({ pollIntervalSeconds = 0.5 } = {}): Promise<Jobs> {
  const log = createLogger({ level: "info", write: (line) => logged.push(JSON.parse(line)) });
  return createJobs({ url: database.url, log, pollIntervalSeconds });
}

/** Handles a queue, and lets a test wait for what was handled. */
async function collect<Data extends object>(name: string, on: Jobs = jobs) {
  const queue = defineQueue<Data>(name, FAST);
  const seen: Data[] = [];
  let wake = Promise.withResolvers<void>();
  await on.work(queue, async (data) => {
    seen.push(data);
    wake.resolve();
  });
  const atLeast = async (count: number) => {
    while (seen.length < count) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
    }
    return seen;
  };
  return { queue, seen, atLeast };
}

test("a job enqueued in a transaction runs once the transaction has committed, and not before", async () => {
  const { queue, seen, atLeast } = await collect<{ study: string }>("committed");
  await database.db.transaction(async (tx) => {
    await jobs.enqueue(queue, { study: "a" }, { tx });
    await jobs.enqueue(queue, { study: "outside" });
    await atLeast(1);
    expect(seen).toEqual([{ study: "outside" }]);
  });
  expect(await atLeast(2)).toEqual([{ study: "outside" }, { study: "a" }]);
});

test("a job of a transaction that is rolled back never runs", async () => {
  const { queue, seen, atLeast } = await collect<{ study: string }>("rolled-back");
  const rolledBack = database.db.transaction(async (tx) => {
    await jobs.enqueue(queue, { study: "never" }, { tx });
    await tx.execute(sql`select 1 / 0`);
  });
  await expect(rolledBack).rejects.toThrow();
  await jobs.enqueue(queue, { study: "later" });
  await atLeast(1);
  expect(seen).toEqual([{ study: "later" }]);
});

test("a group that fills a queue holds only its share of the workers, and others go before the rest of it", async () => {
  const queue = defineQueue<{ whose: string }>("grouped", FAST);
  const other = await connect();
  const running: { whose: string; finish: () => void }[] = [];
  const begun: string[] = [];
  for (let i = 0; i < 10; i++)
    await other.enqueue(queue, { whose: "hostile" }, { group: "hostile", priority: -i });
  await other.work(
    queue,
    async ({ whose }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push(whose);
      running.push({ whose, finish: resolve });
      await promise;
    },
    { concurrency: 4, perGroup: 2 },
  );
  await until(() => running.length === 2);
  for (const whose of ["ana", "bia", "caio"])
    await other.enqueue(queue, { whose }, { group: whose, priority: 0 });
  await until(() => running.length === 4);
  expect(begun.slice(2).sort()).toEqual(["ana", "bia"]);
  running.shift()?.finish();
  await until(() => begun.length === 5);
  expect(begun[4]).toBe("caio");
  // All are done in the end, one right after the other.
  await until(() => {
    for (const { finish } of running.splice(0)) finish();
    return begun.length >= 13;
  });
  expect(begun).toHaveLength(13);
});

test("a job whose handler fails is tried again", async () => {
  const queue = defineQueue<{ n: number }>("flaky", FAST);
  const attempts: number[] = [];
  const done = Promise.withResolvers<void>();
  await jobs.work(queue, async (_data, run) => {
    attempts.push(run.attempt);
    if (run.attempt < 2) throw new Error("not yet: João");
    done.resolve();
  });
  await jobs.enqueue(queue, { n: 1 });
  await done.promise;
  expect(attempts).toEqual([1, 2]);
  const line = logged.find((entry) => entry.event === "job.failed" && entry.queue === "flaky");
  expect(line).toMatchObject({ level: "warn", attempt: 1, error: "Error" });
  expect(JSON.stringify(logged)).not.toContain("João");
});

test("a job that keeps failing is put aside for a person, who can send it back", async () => {
  const queue = defineQueue<{ study: string }>("hopeless", { ...FAST, retryLimit: 0 });
  let broken = true;
  const failed = Promise.withResolvers<void>();
  const repaired = Promise.withResolvers<{ study: string }>();
  await jobs.work(queue, async (data) => {
    if (!broken) return repaired.resolve(data);
    failed.resolve();
    throw new Error("broken");
  });
  await jobs.enqueue(queue, { study: "kept" });
  await failed.promise;
  await until(async () => (await countDead()) === 1);
  expect(logged).toContainEqual(
    expect.objectContaining({ level: "error", event: "job.dead", queue: "hopeless" }),
  );
  broken = false;
  const dead = await listDeadLetters(database.db, 10);
  expect(dead).toMatchObject([{ queue: "hopeless", attempts: 1, errorName: "Error", errorCode: null }]);
  const ids = dead.map(({ id }) => id);
  expect(await database.db.transaction((tx) => jobs.retryDeadLetters(ids, tx))).toBe(1);
  expect(await repaired.promise).toEqual({ study: "kept" });
  expect(await countDead()).toBe(0);
});

test("a queue handles as many jobs at once as it was allowed, and no more", async () => {
  const queue = defineQueue<{ n: number }>("wide", FAST);
  let running = 0;
  let most = 0;
  let left = 12;
  const done = Promise.withResolvers<void>();
  const allRun = Promise.withResolvers<void>();
  for (let n = 0; n < left; n++) await jobs.enqueue(queue, { n });
  await jobs.work(
    queue,
    async () => {
      most = Math.max(most, ++running);
      if (running === 3) allRun.resolve();
      await allRun.promise;
      await Bun.sleep(20);
      running--;
      if (--left === 0) done.resolve();
    },
    { concurrency: 3 },
  );
  await done.promise;
  expect(most).toBe(3);
});

test("a backlog is worked off without a pause after each job", async () => {
  const queue = defineQueue<{ n: number }>("backlog", FAST);
  for (let n = 0; n < 50; n++) await jobs.enqueue(queue, { n });
  // This server pauses for 2 s when it finds nothing: after each job, that would outlast the test's time limit by far.
  const { atLeast } = await collect<{ n: number }>("backlog", await connect({ pollIntervalSeconds: 2 }));
  expect(await atLeast(50)).toHaveLength(50);
});

test("jobs fetched as a batch run one after the other, and only one that fails is tried again", async () => {
  const queue = defineQueue<{ n: number }>("taken-together", FAST);
  for (let n = 0; n < 5; n++) await jobs.enqueue(queue, { n });
  const runs: { n: number; attempt: number }[] = [];
  let running = 0;
  const again = Promise.withResolvers<void>();
  await jobs.work(
    queue,
    async ({ n }, { attempt }) => {
      runs.push({ n, attempt });
      expect(++running).toBe(1);
      await Bun.sleep(5);
      running--;
      if (n !== 1) return;
      if (attempt === 1) throw new Error("one of five");
      again.resolve();
    },
    { batchSize: 3 },
  );
  await again.promise;
  const [first, ...others] = runs.toSorted((one, other) => other.attempt - one.attempt || one.n - other.n);
  expect(first).toEqual({ n: 1, attempt: 2 });
  expect(others).toEqual([0, 1, 2, 3, 4].map((n) => ({ n, attempt: 1 })));
});

test("an exclusive queue holds one job per key, also while the job runs", async () => {
  const queue = defineQueue<{ n: number }>("exclusive", { ...FAST, exclusive: true });
  expect(await jobs.enqueue(queue, { n: 1 }, { singletonKey: "a" })).toBeString();
  expect(await jobs.enqueue(queue, { n: 2 }, { singletonKey: "a" })).toBeUndefined();
  expect(await jobs.enqueue(queue, { n: 3 }, { singletonKey: "b" })).toBeString();
  await expect(jobs.enqueue(queue, { n: 4 })).rejects.toThrow(TypeError);
});

test("a job of one node is left to that node", async () => {
  const transfer = defineQueue<{ file: string }>("transfer", FAST);
  const other = await connect();
  const here = await collect<{ file: string }>("transfer.node-1");
  const there = await collect<{ file: string }>("transfer.node-2", other);
  await jobs.enqueue(queueOfNode(transfer, "node-2"), { file: "b" });
  await other.enqueue(queueOfNode(transfer, "node-1"), { file: "a" });
  expect(await here.atLeast(1)).toEqual([{ file: "a" }]);
  expect(await there.atLeast(1)).toEqual([{ file: "b" }]);
});

test("a delayed job waits until its time", async () => {
  const { queue, seen, atLeast } = await collect<{ when: string }>("delayed");
  await jobs.enqueue(queue, { when: "later" }, { runAfterSeconds: 3600 });
  await jobs.enqueue(queue, { when: "now" });
  await atLeast(1);
  expect(seen).toEqual([{ when: "now" }]);
});

test("a schedule is kept once, however many servers declare it", async () => {
  const queue = defineQueue<{ sweep: boolean }>("hourly", FAST);
  const other = await connect();
  await jobs.schedule(queue, "0 * * * *", { sweep: true });
  await other.schedule(queue, "0 * * * *", { sweep: true });
  const rows = await database.sql`select cron from pgboss.schedule where name = 'hourly'`;
  expect([...rows]).toEqual([{ cron: "0 * * * *" }]);
});

test("a node that another one took for dead gets its schedule again, also after a second start", async () => {
  const queue = queueOfNode(defineQueue("swept", FAST), "01890000-0000-7000-8000-000000000001");
  await jobs.schedule(queue, "17 * * * *", {});
  const restarted = await connect();
  await restarted.schedule(queue, "17 * * * *", {});
  await jobs.empty(queue);
  await restarted.reopen(queue);
  await restarted.schedule(queue, "17 * * * *", {});
  const rows = await database.sql`select cron from pgboss.schedule where name = ${queue.name}`;
  expect([...rows]).toEqual([{ cron: "17 * * * *" }]);
});

test("a finished job is deleted within two hours, whichever queue it was in", async () => {
  const { queue, atLeast } = await collect<{ number: number }>("forgotten");
  await jobs.enqueue(queue, { number: 1 });
  await atLeast(1);
  const left = async () =>
    (await database.sql`select state from pgboss.job where name = ${queue.name}`)[0]?.state;
  await until(async () => (await left()) === "completed");
  await database.sql`update pgboss.job set completed_on = now() - interval '1 hour 1 second' where name = ${queue.name}`;
  await database.sql`update pgboss.queue set maintain_on = null`;
  await until(async () => (await left()) === undefined);
  const kept = await database.sql`select name from pgboss.queue where deletion_seconds > 3600`;
  expect(kept.map(({ name }) => name)).toEqual([DEAD_LETTERS]);
});

test("an idle server does not look every few seconds for jobs that wait for another one", async () => {
  const times = async () => {
    const [row] = await database.sql`select (select flow_on from pgboss.version)::text as flow,
      (select max(monitor_claim_on) from pgboss.queue)::text as monitor`;
    return row;
  };
  const began = await times();
  await until(async () => (await times())?.monitor !== began?.monitor);
  const first = await times();
  // Both times, ten seconds lie between.
  await until(async () => (await times())?.monitor !== first?.monitor);
  expect((await times())?.flow).toBe(first?.flow);
});

test("stopping lets a running job finish", async () => {
  const other = await connect();
  const queue = defineQueue<{ n: number }>("finishing", FAST);
  const begun = Promise.withResolvers<void>();
  let finished = false;
  await other.work(queue, async () => {
    begun.resolve();
    await Bun.sleep(300);
    finished = true;
  });
  await other.enqueue(queue, { n: 1 });
  await begun.promise;
  await other.stop(60_000);
  expect(finished).toBe(true);
  expect(await stateOf("finishing")).toEqual(["completed"]);
});

test("a job that outlasts the stop is given back and done by another server", async () => {
  const other = await connect();
  const queue = defineQueue<{ n: number }>("given-back", FAST);
  const begun = Promise.withResolvers<void>();
  await other.work(queue, async (_data, run) => {
    begun.resolve();
    await once(run.signal, "abort");
  });
  await other.enqueue(queue, { n: 7 });
  await begun.promise;
  await other.stop(200);
  // Nobody has to wait until the job expires.
  expect(await stateOf("given-back")).toEqual(["retry"]);
  const { atLeast } = await collect<{ n: number }>("given-back");
  expect(await atLeast(1)).toEqual([{ n: 7 }]);
});

test("servers that start at once set up the queues once", async () => {
  const fresh = await createTestDatabase({ migrations: [] });
  const log = createLogger({ level: "error" });
  const all = await Promise.all([1, 2, 3].map(() => createJobs({ url: fresh.url, log })));
  for (const one of all) await one.stop(100);
  await fresh.drop();
});

test("a job whose process is killed is done by another server", async () => {
  const script = join(import.meta.dir, "../../support/program/hold-job.ts");
  const child = spawn(process.execPath, [script, database.url], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  const { atLeast } = await collect<{ n: number }>("held");
  expect(await atLeast(1)).toEqual([{ n: 1 }]);
});

/** Counted in the table: pg-boss's own figures are up to a minute old. */
async function countDead(): Promise<number> {
  const [row] = await database.sql`
    select count(*)::int as dead from pgboss.job where name = 'dead-letters' and state = 'created'`;
  return row?.dead;
}

async function stateOf(queue: string): Promise<string[]> {
  return (await database.sql`select state from pgboss.job where name = ${queue}`).map((row) => row.state);
}

test("while the database is gone, the log says why, in fewer lines than there are queues", async () => {
  await using proxy = await startConnectionProxy(database.url);
  const lines: { event: string; error: string; code?: string }[] = [];
  const log = createLogger({ level: "error", write: (line) => lines.push(JSON.parse(line)) });
  const cutOff = await createJobs({ url: proxy.url, log, pollIntervalSeconds: 0.5 });
  others.push(cutOff);
  const names = Array.from({ length: 6 }, (_, at) => `cut-off-${at}`);
  for (const name of names) await cutOff.work(defineQueue(name), async () => {});
  proxy.cut();
  const before = proxy.connections;
  await until(() => lines.length > 0 && proxy.connections > before + 3 * names.length);
  proxy.mend();
  for (const line of lines) expect(line).toMatchObject({ event: "jobs.error", code: expect.any(String) });
  expect(lines.length).toBeLessThan(names.length);
});
