import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { AppError } from "../../../src/server/http/app-error.ts";
import { storeUnavailable } from "../../../src/server/http/http.errors.ts";
import { defineQueue, type Queue, queueOfNode } from "../../../src/server/jobs/queue.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import type { DeadLetter, Operations } from "../../../src/shared/api/operations.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";

const OTHER_NODE = "01890000-0000-7000-8000-00000000000f";
const FAST = { retryLimit: 0, retryDelaySeconds: 0, retryDelayMaxSeconds: 0 };

let t: TestApp;
let admin: Person;
let isBroken = true;
const done: object[] = [];

const failing = defineQueue<{ patient: string }>("test.failing", FAST);
const ofNode = queueOfNode(defineQueue<{ patient: string }>("test.of-node", FAST), OTHER_NODE);

beforeAll(async () => {
  // The jobs of this file fail on purpose.
  t = await createTestApp({ overrides: { log: createLogger({ level: "error", write: () => {} }) } });
  admin = await t.addPerson("Adalberto Admin", { role: "admin" });
  for (const queue of [failing, ofNode]) {
    await t.deps.jobs.work(queue, async (data) => {
      if (!isBroken) return void done.push(data);
      const cause = new AppError(storeUnavailable, { detail: `no store for ${data.patient}` });
      throw Object.assign(new Error(`João da Silva, 1.2.840.99: ${cause}`), { code: "ECONNREFUSED" });
    });
  }
});
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(async () => {
  isBroken = true;
  done.length = 0;
  await t.sql`delete from pgboss.job where name = 'dead-letters'`;
});

async function letters(): Promise<DeadLetter[]> {
  const answer = await t.call("GET", "/api/operations/dead-letters", { as: admin });
  expect(answer.status).toBe(200);
  return (await answer.json()) as DeadLetter[];
}

async function until<Value>(
  read: () => Promise<Value>,
  isReached: (value: Value) => boolean,
): Promise<Value> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const value = await read();
    if (isReached(value) || Date.now() > deadline) return value;
    await Bun.sleep(20);
  }
}

/** Enqueues jobs that fail for good, and waits until all of them have. */
async function kill(queue: Queue<{ patient: string }>, jobs = 1): Promise<DeadLetter[]> {
  const before = (await letters()).length;
  for (let n = 0; n < jobs; n++) await t.deps.jobs.enqueue(queue, { patient: `Maria Segredo ${n}` });
  return await until(letters, (found) => found.length >= before + jobs);
}

const settle = async (what: "retry" | "dismiss", ids: string[], as: Person = admin) =>
  await t.call("POST", `/api/operations/dead-letters/${what}`, { as, json: { ids } });

const audited = async () => [
  ...(await t.sql`select action, actor_id, details from audit_events where action like 'dead_letters.%' order by id`),
];

test("a job that failed for good is listed with its kind, time and class of error, and nothing it carried", async () => {
  const startedAt = Date.now();
  const [letter, ...others] = await kill(failing);
  expect(others).toEqual([]);
  expect(letter).toEqual({
    id: expect.any(String),
    kind: "test.failing",
    diedAt: expect.any(String),
    attempts: 1,
    errorClass: "Error ECONNREFUSED",
  });
  expect(Date.parse(letter?.diedAt ?? "")).toBeGreaterThanOrEqual(startedAt - 5_000);
  expect(JSON.stringify(letter)).not.toMatch(/João|Maria|1\.2\.840/);
});

test("an error whose name or code is text is listed without it", async () => {
  await kill(failing);
  const classOf = async (output: unknown) => {
    await t.sql`update pgboss.job set source_output = ${JSON.stringify(output)}::text::jsonb
      where name = 'dead-letters'`;
    return (await letters())[0]?.errorClass;
  };
  expect(await classOf({ name: "Paciente João da Silva", code: "1.2.840 99", message: "x" })).toBe("Error");
  expect(await classOf({ name: "AppError", code: "store.unavailable" })).toBe("AppError store.unavailable");
  expect(await classOf({ value: { message: "job heartbeat timeout" } })).toBe("Timeout");
  expect(await classOf(["João"])).toBe("Error");
});

test("a retried job runs again with what it carried, and leaves the list", async () => {
  const dead = await kill(failing, 2);
  isBroken = false;
  const answer = await settle(
    "retry",
    dead.map(({ id }) => id),
  );
  expect([answer.status, await answer.json()]).toEqual([200, { retried: 2, stuck: 0 }]);
  await until(
    async () => done.length,
    (count) => count === 2,
  );
  expect(done).toContainEqual({ patient: "Maria Segredo 0" });
  expect(await letters()).toEqual([]);
  const row = (await audited()).at(-1);
  expect(row).toMatchObject({ action: "dead_letters.retried", actor_id: admin.id });
  expect(row?.details).toEqual({ kinds: { "test.failing": 2 } });
});

test("a dismissed job is gone and never runs; the audit names who dismissed it", async () => {
  const dead = await kill(failing);
  isBroken = false;
  const ids = dead.map(({ id }) => id);
  expect(await (await settle("dismiss", ids)).json()).toEqual({ dismissed: 1 });
  expect(await letters()).toEqual([]);
  const rows = (await audited()).length;
  // Again, as from a second window: nothing is left to do, and nothing is recorded.
  expect(await (await settle("dismiss", ids)).json()).toEqual({ dismissed: 0 });
  expect(await (await settle("retry", ids)).json()).toEqual({ retried: 0, stuck: 0 });
  expect((await audited()).length).toBe(rows);
  expect(done).toEqual([]);
});

test.each([
  ["retry", { retried: 0, stuck: 0 }],
  ["dismiss", { dismissed: 0 }],
] as const)("letters that another admin settles just now count for nothing: %s", async (what, nothing) => {
  const ids = (await kill(failing)).map(({ id }) => id);
  const rows = (await audited()).length;
  const other = await t.sql.reserve();
  await other`begin`;
  await other`delete from pgboss.job where id = any(${ids}::uuid[])`;
  let isAnswered = false;
  const answer = settle(what, ids).finally(() => {
    isAnswered = true;
  });
  const countWaiting = async () =>
    (await t.sql`select from pg_stat_activity where wait_event_type = 'Lock'`).length;
  await until(countWaiting, (waiting) => waiting > 0 || isAnswered);
  await other`commit`;
  other.release();
  expect(await (await answer).json()).toEqual(nothing);
  expect((await audited()).length).toBe(rows);
});

test("only dead letters can be retried or dismissed, not jobs that wait", async () => {
  const waiting = await t.deps.jobs.enqueue(failing, { patient: "Espera" }, { runAfterSeconds: 3600 });
  const ids = [waiting ?? ""];
  expect(await (await settle("dismiss", ids)).json()).toEqual({ dismissed: 0 });
  expect(await (await settle("retry", ids)).json()).toEqual({ retried: 0, stuck: 0 });
  const [row] = await t.sql`select state from pgboss.job where id = ${waiting ?? ""}`;
  expect(row?.state).toBe("created");
  await t.sql`delete from pgboss.job where id = ${waiting ?? ""}`;
});

test("jobs of a node count as one kind; those of a node that is gone are named as stuck", async () => {
  const dead = await kill(ofNode);
  expect(dead.map(({ kind }) => kind)).toEqual(["test.of-node"]);
  await t.deps.jobs.remove(ofNode);
  const ids = dead.map(({ id }) => id);
  expect(await (await settle("retry", ids)).json()).toEqual({ retried: 0, stuck: 1 });
  expect(await (await settle("dismiss", ids)).json()).toEqual({ dismissed: 1 });
});

test("a list that is no list of ids is refused", async () => {
  for (const ids of [[], ["João"], Array.from({ length: 501 }, () => OTHER_NODE), "all"]) {
    const answer = await t.call("POST", "/api/operations/dead-letters/retry", { as: admin, json: { ids } });
    expect([answer.status, (await problemOf(answer)).code]).toEqual([400, "validation.failed"]);
  }
});

test("only admins see how the installation does, and settle its jobs", async () => {
  const person = await t.addPerson("Paula Paciente");
  for (const [method, path] of [
    ["GET", "/api/operations"],
    ["GET", "/api/operations/dead-letters"],
    ["POST", "/api/operations/dead-letters/retry"],
    ["POST", "/api/operations/dead-letters/dismiss"],
  ] as const) {
    expect([path, (await t.call(method, path)).status]).toEqual([path, 401]);
    expect([path, (await t.call(method, path, { as: person })).status]).toEqual([path, 403]);
  }
});

test("an admin reads dead letters, jobs, studies and nodes in figures", async () => {
  await kill(failing, 2);
  const read = async () =>
    (await (await t.call("GET", "/api/operations", { as: admin })).json()) as Operations;
  const operations = await read();
  expect(operations).toMatchObject({
    deadLetters: 2,
    queue: { waiting: expect.any(Number), oldestSeconds: expect.any(Number) },
    studies: { damaged: 0, missing: 0, transferring: 0, failedTransfers: 0 },
    nodes: [{ id: t.deps.node.id, isThis: true, state: "up", version: expect.stringMatching(/^\d+\./) }],
  });
  const { disk } = operations.nodes[0] ?? {};
  expect(disk?.sizeBytes).toBeGreaterThanOrEqual(disk?.freeBytes ?? Number.POSITIVE_INFINITY);

  await t.sql`insert into nodes (id, started_at, steady_since, last_beat_at, swept_at) values
    (${OTHER_NODE}, now(), now(), now() - interval '5 minutes', null),
    ('01890000-0000-7000-8000-00000000000e', now(), now(), now() - interval '1 hour', now())`;
  expect((await read()).nodes.map(({ isThis, state, disk }) => [isThis, state, disk === null])).toEqual([
    [true, "up", false],
    [false, "silent", true],
    [false, "gone", true],
  ]);
});
