import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { holdDeletions } from "../../../src/server/holdings/deletion-hold.repo.ts";
import { enqueueStagedTransfers, startTransfers } from "../../../src/server/holdings/holdings.jobs.ts";
import { adoptUpload } from "../../../src/server/holdings/sweeping/adopt-upload.ts";
import { sweepDeadNodes } from "../../../src/server/holdings/sweeping/sweep-dead-nodes.ts";
import { sweepUploads } from "../../../src/server/holdings/sweeping/sweep-uploads.ts";
import { insertUpload } from "../../../src/server/holdings/uploads/uploads.repo.ts";
import { startMailJobs } from "../../../src/server/mail/mail.jobs.ts";
import { beat } from "../../../src/server/nodes/beat.ts";
import { reviveNode } from "../../../src/server/revive-node.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { until } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

/*
 * Two nodes with a DATA_DIR each on one database and one bucket. `lost` stops beating; `other` goes on. `lost` runs no
 * jobs, so that its uploads stay as a kill left them.
 */
const held = new AsyncDisposableStack();
let bucket: FaultyS3Server;
let lost: TestApp;
let lostAcksDisk: TestApp["deps"];
let other: TestApp;
let person: Person;

beforeAll(async () => {
  bucket = held.use(await startFaultyS3Server());
  const overrides = { store: createS3Store(bucket.options) };
  lost = held.use(await createTestApp({ jobs: false, env: { ACK: "store" }, overrides }));
  lostAcksDisk = { ...lost.deps, config: { ...lost.deps.config, ack: "disk" } };
  const env = { ACK: "store", DATABASE_URL: lost.deps.config.databaseUrl ?? "" };
  other = held.use(await createTestApp({ env, overrides }));
  person = await lost.addPerson("Dona Perdida");
  await lost.sql`update nodes set steady_since = now() - interval '3 minutes'`;
});
afterAll(() => held.disposeAsync());
beforeEach(() => {
  bucket.pause = async () => {};
});

const silent = (minutes: number) =>
  lost.sql`update nodes set last_beat_at = now() - make_interval(mins => ${minutes}) where id = ${lost.deps.node.id}`;

/** Lets `lost` beat once and then be silent for 11 minutes; then two sweeps run at once. */
async function sweepLost(): Promise<void> {
  await beat(lost.deps);
  await silent(11);
  await Promise.all([sweepDeadNodes(other.deps), sweepDeadNodes(other.deps)]);
  await jobsDone();
}

async function jobsDone(): Promise<void> {
  await until(async () => {
    const [row] = await lost.sql`select count(*)::int as left from pgboss.job where start_after <= now()
      and state in ('created', 'active', 'retry') and name in ('uploads.remove', 'uploads.adopt')`;
    return row?.left === 0;
  });
}

const keysUnder = (id: string) => [...bucket.bucket.objects.keys()].filter((key) => key.startsWith(id));

async function upload(app: TestApp, deps: TestApp["deps"], study: string): Promise<string> {
  app.deps.config.ack = deps.config.ack;
  const answer = await app.upload(person, sampleZip({ study }));
  app.deps.config.ack = "store";
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { studies: { id: string }[] }).studies[0]?.id ?? "";
}

const objectsOf = (studyId: string) =>
  lost.sql`select kind, key, location, staged_on from stored_objects where study_id = ${studyId} order by kind`;
const statusOf = async (studyId: string) =>
  (await lost.sql`select storage_status from studies where id = ${studyId}`)[0]?.storage_status;

test("uploads that a lost node was receiving are given up once and leave the store; a living node's uploads stay", async () => {
  const receiving = async (nodeId: string, bootId: string) => {
    const id = Bun.randomUUIDv7();
    const row = { id, accountId: person.id, nodeId, bootId, startedAt: other.deps.clock.now() };
    await insertUpload(other.deps.db, { ...row, state: "receiving" });
    await other.deps.store.putBytes(`${id}/a.zip`, new Uint8Array(10));
    bucket.bucket.uploads.set(id, { key: `${id}/b.zip`, begunAt: new Date(), parts: new Map() });
    return id;
  };
  const dead: string[] = [];
  for (const _ of Array(4)) dead.push(await receiving(lost.deps.node.id, "an-earlier-boot"));
  const alive = await receiving(other.deps.node.id, other.deps.node.bootId);
  await sweepLost();
  const states = await lost.sql`select id, state from uploads where account_id = ${person.id}`;
  expect(Object.fromEntries(states.map(({ id, state }) => [id, state]))).toEqual({
    ...Object.fromEntries(dead.map((id) => [id, "failed"])),
    [alive]: "receiving",
  });
  expect(dead.flatMap(keysUnder)).toEqual([]);
  expect(keysUnder(alive).length).toBe(1);
  expect([...bucket.bucket.uploads.keys()]).toEqual([alive]);
  const [jobs] =
    await lost.sql`select count(*)::int as all, count(*) filter (where start_after > now())::int as later
    from pgboss.job where name = 'uploads.remove'`;
  expect(jobs).toEqual({ all: 2, later: 1 });
}, 240_000);

test("a paused node can't commit an upload that was swept, and removes what it still put into the store", async () => {
  const reading = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  bucket.pause = async ({ method, key }) => {
    if (method !== "GET" || !key) return;
    reading.resolve();
    await goOn.promise;
  };
  const answer = lost.upload(person, sampleZip({ study: "900" }));
  await reading.promise;
  const [row] =
    await lost.sql`select id from uploads where state = 'receiving' and node_id = ${lost.deps.node.id}`;
  expect(keysUnder(row?.id).length).toBeGreaterThan(0);
  bucket.pause = async () => {};
  await sweepLost();
  expect(keysUnder(row?.id)).toEqual([]);
  // It arrives only now, like a request that was delayed on its way.
  await other.deps.store.putBytes(`${row?.id}/late.zip`, new Uint8Array(10));
  goOn.resolve();
  expect((await answer).status).toBe(503);
  expect(await lost.sql`select state from uploads where id = ${row?.id}`).toMatchObject([
    { state: "failed" },
  ]);
  expect(keysUnder(row?.id)).toEqual([]);
}, 240_000);

/** Sends something, and sweeps it while it waits for rows of `locked` to become visible, as the sweeper of another node does. */
async function sweepWhileWaiting(
  locked: readonly string[],
  send: () => Promise<Response>,
): Promise<Response> {
  const { sent } = await lost.sql.begin(async (tx) => {
    for (const table of locked) await tx`select 1 from ${tx(table)} for update`;
    const sent = send();
    await until(async () => {
      const waiting = await lost.sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and application_name = 'exameteca'`;
      return waiting.length > 0;
    });
    const swept = await lost.sql`update uploads set state = 'failed'
      where state = 'receiving' and node_id = ${lost.deps.node.id} returning id`;
    expect(swept).toHaveLength(1);
    return { sent };
  });
  return await sent;
}

test("an upload that was swept when its node is about to make it visible is to be sent again later", async () => {
  const answer = await sweepWhileWaiting(["subscriptions"], () =>
    lost.upload(person, sampleZip({ study: "902" })),
  );
  expect([answer.status, (await problemOf(answer)).code]).toEqual([503, "upload.process_lost"]);
  expect(answer.headers.get("retry-after")).toBe("10");
}, 240_000);

test("a document that was swept when its node is about to make it visible is to be sent again later", async () => {
  const studyId = await upload(lost, lost.deps, "953");
  const lab = await formBody(
    { examName: "Hemograma", modality: "LAB" },
    { name: "file", bytes: samplePdf() },
  );
  const report = await formBody({ studyInstanceUID: studyId }, { name: "laudo", bytes: samplePdf() });
  const documents = { "/api/exams-lab/upload": lab, "/api/studies/laudo/upload": report };
  for (const [path, form] of Object.entries(documents)) {
    const send = () => lost.call("POST", path, { as: person, ...form });
    const answer = await sweepWhileWaiting(["subscriptions", "studies"], send);
    expect([path, answer.status, (await problemOf(answer)).code]).toEqual([path, 503, "upload.process_lost"]);
    expect(answer.headers.get("retry-after")).toBe("10");
    expect((await send()).status).toBe(201);
  }
}, 240_000);

test("an upload that a lost node acknowledged after storing it is finished by another node", async () => {
  const studyId = await upload(lost, lost.deps, "901");
  expect(await objectsOf(studyId)).toMatchObject(
    ["volume", "manifest"].map((kind) => ({ kind, location: "archive", staged_on: lost.deps.node.id })),
  );
  await sweepLost();
  for (const object of await objectsOf(studyId)) {
    expect(object).toMatchObject({ location: "archive", staged_on: null });
    expect(await other.deps.store.stat(object.key)).toBeDefined();
  }
  expect(await statusOf(studyId)).toBe("b2");
  const [waiting] = await lost.sql`select count(*)::int as jobs from pgboss.job where state < 'active'
    and name like ${`%.${lost.deps.node.id}`}`;
  expect(waiting).toEqual({ jobs: 0 });
}, 240_000);

test("copies that a lost node had finished but not switched to are used", async () => {
  const studyId = await upload(lost, lostAcksDisk, "902");
  for (const { key } of await objectsOf(studyId)) {
    await lost.deps.store.putFile(key, lost.deps.node.stagedPath(key));
  }
  // While the node beats, its upload is left to it.
  const [{ upload_id: uploadId } = {}] =
    await lost.sql`select upload_id from stored_objects where study_id = ${studyId}`;
  await beat(lost.deps);
  await adoptUpload(other.deps, lost.deps.node.id, uploadId, new AbortController().signal);
  expect(await objectsOf(studyId)).toMatchObject([{ location: "staging" }, { location: "staging" }]);
  await sweepLost();
  expect(await objectsOf(studyId)).toMatchObject(
    ["volume", "manifest"].map((kind) => ({ kind, location: "archive", staged_on: null })),
  );
  expect(await statusOf(studyId)).toBe("b2");
}, 240_000);

test("copies of a study that is deleted while another node finishes its upload stay while a backup may read them", async () => {
  const studyId = await upload(lost, lostAcksDisk, "906");
  const objects = await objectsOf(studyId);
  for (const { key } of objects) await lost.deps.store.putFile(key, lost.deps.node.stagedPath(key));
  const [{ upload_id: uploadId } = {}] =
    await lost.sql`select upload_id from stored_objects where study_id = ${studyId}`;
  await lost.sql`update nodes set swept_at = now() where id = ${lost.deps.node.id}`;
  const { store } = other.deps;
  const stat = async (key: string) => {
    await lost.call("DELETE", `/api/studies/${studyId}`, { as: person });
    return await store.stat(key);
  };
  const { signal } = new AbortController();
  {
    await using _ = await holdDeletions(other.deps.config.databaseUrl ?? "");
    const deps = { ...other.deps, store: { ...store, stat } };
    await adoptUpload(deps, lost.deps.node.id, uploadId, signal);
    expect(await objectsOf(studyId)).toHaveLength(0);
    for (const { key } of objects) expect(await store.stat(key)).toBeDefined();
  }
});

test("a study that only a lost node's disk holds stays recorded, shows error and the remedy, and is whole once the node is back", async () => {
  const studyId = await upload(lost, lostAcksDisk, "903");
  // Neither half a copy counts, nor one with other bytes.
  const [first, second] = await objectsOf(studyId);
  await lost.deps.store.putBytes(first?.key, new Uint8Array(10));
  const { size } = Bun.file(lost.deps.node.stagedPath(second?.key));
  await lost.deps.store.putBytes(second?.key, new Uint8Array(size));
  await sweepLost();
  expect(await objectsOf(studyId)).toMatchObject(
    ["volume", "manifest"].map((kind) => ({ kind, location: "staging", staged_on: lost.deps.node.id })),
  );
  expect(await statusOf(studyId)).toBe("error");
  const retry = await other.call("POST", `/api/studies/${studyId}/retry-transfer`, { as: person });
  expect(retry.status).toBe(503);
  expect((await problemOf(retry)).code).toBe("study.node_gone");

  await beat(lost.deps);
  await startTransfers(lost.deps);
  await enqueueStagedTransfers(lost.deps);
  await lost.settle();
  expect(await statusOf(studyId)).toBe("b2");
}, 240_000);

test("after an outage in which no node could beat, a node that comes back takes no other for dead", async () => {
  const id = Bun.randomUUIDv7();
  const { node, db, clock } = lost.deps;
  const row = { id, accountId: person.id, nodeId: node.id, bootId: node.bootId, startedAt: clock.now() };
  await insertUpload(db, { ...row, state: "receiving" });
  await beat(lost.deps);
  await lost.sql`update nodes set last_beat_at = now() - interval '11 minutes'`;
  await beat(other.deps);
  await sweepDeadNodes(other.deps);
  expect(await lost.sql`select state from uploads where id = ${id}`).toMatchObject([{ state: "receiving" }]);
  await lost.sql`update nodes set steady_since = now() - interval '3 minutes'`;
  await sweepDeadNodes(other.deps);
  expect(await lost.sql`select state from uploads where id = ${id}`).toMatchObject([{ state: "failed" }]);
}, 240_000);

test("a node that died while the database's clock was ahead counts as dead ten minutes after it was set back", async () => {
  const id = Bun.randomUUIDv7();
  const { node, db, clock } = lost.deps;
  const row = { id, accountId: person.id, nodeId: node.id, bootId: node.bootId, startedAt: clock.now() };
  await insertUpload(db, { ...row, state: "receiving" });
  const stateOf = async () => (await lost.sql`select state from uploads where id = ${id}`)[0]?.state;
  const pass = (minutes: number) =>
    lost.sql`update nodes set last_beat_at = last_beat_at - make_interval(secs => ${60 * minutes}),
      steady_since = steady_since - make_interval(secs => ${60 * minutes})`;
  await beat(lost.deps);
  await lost.sql`update nodes set steady_since = now() + interval '400 days', last_beat_at = now() + interval '400 days'`;
  await sweepDeadNodes(other.deps);
  await pass(9);
  await beat(other.deps);
  await pass(0.5);
  await sweepDeadNodes(other.deps);
  expect(await stateOf()).toBe("receiving");
  await pass(2);
  await beat(other.deps);
  await lost.sql`update nodes set steady_since = now() - interval '3 minutes' where id = ${other.deps.node.id}`;
  await sweepDeadNodes(other.deps);
  expect(await stateOf()).toBe("failed");
}, 240_000);

test("a node of an earlier version, which never beat, gets a day; after a month nothing of it is left", async () => {
  const nodeId = Bun.randomUUIDv7();
  const id = Bun.randomUUIDv7();
  const row = { id, accountId: person.id, nodeId, bootId: "old", startedAt: other.deps.clock.now() };
  await insertUpload(other.deps.db, { ...row, state: "receiving" });
  const stateOf = async () => (await lost.sql`select state from uploads where id = ${id}`)[0]?.state;
  const age = (hours: number) =>
    lost.sql`update nodes set last_beat_at = now() - make_interval(hours => ${hours}) where id = ${nodeId}`;
  await sweepDeadNodes(other.deps);
  await age(23);
  await sweepDeadNodes(other.deps);
  expect(await stateOf()).toBe("receiving");
  await age(25);
  await sweepDeadNodes(other.deps);
  expect(await stateOf()).toBe("failed");
  await lost.sql`update nodes set swept_at = now() - interval '31 days' where id = ${nodeId}`;
  await sweepDeadNodes(other.deps);
  expect(await stateOf()).toBeUndefined();
  expect((await lost.sql`select id from nodes where id = ${nodeId}`).length).toBe(0);
}, 240_000);

test("the outbox of a lost node is swept no more, until it is back; after a month its queues are gone", async () => {
  const { deps } = other;
  const node = { ...deps.node, id: Bun.randomUUIDv7() };
  // It runs no jobs.
  const jobs = new Proxy(deps.jobs, {
    get: (all, name) => (name === "work" ? async () => {} : Reflect.get(all, name).bind(all)),
  });
  await lost.sql`insert into nodes (id, boot_id, started_at, steady_since, last_beat_at)
    values (${node.id}, 'its run', now() - interval '1 day', now() - interval '1 day', now() - interval '11 minutes')`;
  await startMailJobs({ ...deps, node, jobs });
  const left = async (table: string) =>
    (await lost.sql`select 1 from ${lost.sql(`pgboss.${table}`)} where name like ${`mail.%.${node.id}`}`)
      .length;
  expect([await left("schedule"), await left("job")]).toEqual([1, 1]);
  await sweepDeadNodes(deps);
  expect([await left("schedule"), await left("job")]).toEqual([0, 0]);

  await reviveNode({ ...deps, node, jobs });
  expect([await left("schedule"), await left("job")]).toEqual([1, 1]);
  await lost.sql`update nodes set swept_at = now() - interval '31 days' where id = ${node.id}`;
  await sweepDeadNodes(deps);
  expect([await left("schedule"), await left("job"), await left("queue")]).toEqual([0, 0, 0]);
});

test("a failed upload whose folder is gone is swept from the store by its own node", async () => {
  const id = Bun.randomUUIDv7();
  const { node, db, clock, store } = other.deps;
  const row = {
    id,
    accountId: person.id,
    nodeId: node.id,
    bootId: "an-earlier-boot",
    startedAt: clock.now(),
  };
  await insertUpload(db, { ...row, state: "failed" });
  await store.putBytes(`${id}/a.zip`, new Uint8Array(10));
  await sweepUploads(other.deps);
  expect(keysUnder(id)).toEqual([]);
});
