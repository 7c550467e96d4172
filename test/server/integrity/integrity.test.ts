import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rereadFindings } from "../../../src/server/holdings/checking/reread-findings.ts";
import { scrubQueue } from "../../../src/server/holdings/holding-queues.ts";
import { scrubArchive } from "../../../src/server/holdings/scrubbing/scrub-archive.ts";
import { StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import type { IntegrityFinding, IntegritySummary } from "../../../src/shared/api/integrity.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { readOpenMetrics } from "../../support/read-open-metrics.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const METRICS_TOKEN = "a-token-for-metrics";
const signal = new AbortController().signal;
const ROUTES = [
  ["GET", "/api/integrity"],
  ["GET", "/api/integrity/findings"],
  ["POST", `/api/integrity/findings/${Bun.randomUUIDv7()}/recheck`],
  ["POST", `/api/integrity/findings/${Bun.randomUUIDv7()}/restore`],
] as const;

let t: TestApp;
let admin: Person;
let ana: Person;
let studyId: string;
let volume: string;
let whole: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  t = await createTestApp({ env: { METRICS_TOKEN } });
  admin = await t.addPerson("Beatriz", { role: "admin" });
  ana = await t.addPerson("Ana", { plan: "clinica" });
  studyId = (await t.store(ana, sampleZip({ study: "1" }))).studies[0]?.id ?? "";
  const lab = await formBody(
    { examName: "Hemograma", modality: "LAB" },
    { name: "file", bytes: samplePdf() },
  );
  expect((await t.call("POST", "/api/exams-lab/upload", { as: ana, ...lab })).status).toBe(201);
  await t.settle();
  const [row] = await t.sql`select key from stored_objects where kind = 'volume'`;
  volume = join(t.deps.config.dataDir, "objects", String(row?.key));
  whole = Uint8Array.from(readFileSync(volume));
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

function flip(path: string): void {
  const bytes = readFileSync(path);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

/** A round that reads everything at once. */
async function scrub(): Promise<void> {
  await t.sql`delete from scrub_rounds`;
  const config = { ...t.deps.config, scrubDays: 30 };
  await scrubArchive({ ...t.deps, config }, signal);
  const clock = { now: () => new Date(t.deps.clock.now().getTime() + 29 * 86_400_000) };
  await scrubArchive({ ...t.deps, config, clock }, signal);
  await t.settle();
}

async function findings(state = "open"): Promise<IntegrityFinding[]> {
  const answer = await t.call("GET", `/api/integrity/findings?state=${state}`, { as: admin });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { findings: IntegrityFinding[] }).findings;
}

async function summary(): Promise<IntegritySummary> {
  return (await (await t.call("GET", "/api/integrity", { as: admin })).json()) as IntegritySummary;
}

async function figures(): Promise<Map<string, number>> {
  const answer = await t.call("GET", "/metrics", { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const text = await answer.text();
  readOpenMetrics(text);
  return new Map(
    text
      .split("\n")
      .filter((line) => /^exameteca_(scrub|integrity)/.test(line))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

test("only an admin reads or settles findings", async () => {
  for (const [method, path] of ROUTES) {
    expect((await t.call(method, path)).status, path).toBe(401);
    expect((await t.call(method, path, { as: ana })).status, path).toBe(403);
  }
  for (const [method, path] of ROUTES.slice(2)) {
    const answer = await t.call(method, path, { as: admin });
    expect([answer.status, (await problemOf(answer)).code]).toEqual([404, "finding.not_found"]);
  }
  const bad = await t.call("GET", "/api/integrity/findings?limit=1000", { as: admin });
  expect(bad.status).toBe(400);
});

test("before the first round there is nothing to show, and afterwards the round with its figures", async () => {
  expect(await summary()).toEqual({ scrubDays: 0, round: null, pastRounds: [], openFindings: 0 });
  expect([...(await figures()).keys()]).toEqual([
    'exameteca_integrity_findings{found="damaged"}',
    'exameteca_integrity_findings{found="missing"}',
  ]);
  await scrub();
  const { round, pastRounds } = await summary();
  expect(round).toBeNull();
  expect(pastRounds).toMatchObject([{ objectsRead: 3, objectsTotal: 3, findings: 0 }]);
  expect(pastRounds[0]?.bytesRead).toBe(pastRounds[0]?.bytesTotal ?? 0);
});

test("a finding names its exam, is read again when an admin asks, and closes once the bytes are right", async () => {
  flip(volume);
  await scrub();
  const [finding] = await findings();
  expect(finding).toMatchObject({ kind: "volume", found: "damaged", study: { id: studyId }, closedAt: null });
  expect((await summary()).openFindings).toBe(1);
  const recheck = `/api/integrity/findings/${finding?.id}/recheck`;
  expect((await t.call("POST", recheck, { as: admin })).status).toBe(200);
  await t.settle();
  expect(await findings()).toMatchObject([{ id: finding?.id }]);
  writeFileSync(volume, whole);
  expect((await t.call("POST", recheck, { as: admin })).status).toBe(200);
  await t.settle();
  expect(await findings()).toEqual([]);
  expect(await findings("closed")).toMatchObject([{ id: finding?.id, healedBy: "reread" }]);
  const closed = await t.call("POST", recheck, { as: admin });
  expect([closed.status, (await problemOf(closed)).code]).toEqual([409, "finding.closed"]);
});

/** Lets time pass, then the turn come that reads recent findings again. */
async function turnAfter(minutes: number): Promise<void> {
  t.advance(minutes * 60_000);
  await t.deps.jobs.enqueue(scrubQueue, {}, { singletonKey: "now" });
  await t.settle();
}

for (const [what, go] of [
  ["wrong", () => flip(volume)],
  ["gone", () => rmSync(volume)],
] as const) {
  test(`an exam whose bytes were ${what} for a moment is there again two minutes later, without a hand`, async () => {
    const open = async () => (await t.sql`select id from integrity_findings where closed_at is null`).length;
    go();
    const download = await t.call("GET", `/api/studies/${studyId}/download`, { as: ana });
    expect([download.status, (await problemOf(download)).code]).toEqual([500, "archive.damaged"]);
    await turnAfter(1);
    expect(await open()).toBe(1);
    writeFileSync(volume, whole);
    await turnAfter(2);
    expect(await open()).toBe(0);
    expect(await t.sql`select integrity from studies`).toMatchObject([{ integrity: "ok" }]);
    const again = await t.call("GET", `/api/studies/${studyId}/download`, { as: ana });
    expect(again.status).toBe(200);
    await again.bytes();
  });
}

test("a read of recent damage that fails is asked for again in ever longer pauses, not each minute", async () => {
  flip(volume);
  await t.call("GET", `/api/studies/${studyId}/download`, { as: ana });
  const start = t.deps.clock.now().getTime() + 30_000;
  let minute = 0;
  const clock = { now: () => new Date(start + minute * 60_000) };
  const asks: number[] = [];
  // The store is away: nothing that is asked for ends, so the finding stays as it is.
  const studies = { ...t.deps.owners.studies, enqueueCheck: async () => void asks.push(minute) };
  const deps = { ...t.deps, clock, owners: { ...t.deps.owners, studies } };
  const asked = new Map<string, number>();
  for (; minute <= 120; minute++) await rereadFindings(deps, asked);
  expect(asks).toEqual([1, 3, 7, 15, 31, 63]);
  writeFileSync(volume, whole);
  await scrub();
});

test("however much is gone, damage is read again, and each node looks for the next of what is gone", async () => {
  flip(volume);
  await t.call("GET", `/api/studies/${studyId}/download`, { as: ana });
  const now = new Date(t.deps.clock.now().getTime() + 70_000);
  const foundAt = new Date(now.getTime() - 600_000).toISOString();
  await t.sql`insert into integrity_findings (id, object_id, kind, study_id, key, size_bytes, found, found_at, checked_at)
    select gen_random_uuid(), id, 'volume', ${studyId}, id || '/a.zip', 9, 'missing', ${foundAt}::timestamptz, ${foundAt}::timestamptz
    from (select gen_random_uuid() as id from generate_series(1, 25)) as ids`;
  const asks: string[] = [];
  const studies = {
    ...t.deps.owners.studies,
    enqueueCheck: async (_: unknown, id: string) => void asks.push(id),
  };
  const deps = { ...t.deps, clock: { now: () => now }, owners: { ...t.deps.owners, studies } };
  const isLeft = () => t.sql`select id from integrity_findings where checked_at = ${foundAt}::timestamptz`;
  await rereadFindings(deps, new Map());
  expect(asks).toEqual([studyId]);
  expect((await isLeft()).length).toBe(5);
  await rereadFindings(deps, new Map());
  expect((await isLeft()).length).toBe(0);
  await t.sql`delete from integrity_findings where found = 'missing'`;
  writeFileSync(volume, whole);
  await scrub();
});

test("a file that comes back without bytes is damaged, and is read again like other damage", async () => {
  rmSync(volume);
  await t.call("GET", `/api/studies/${studyId}/download`, { as: ana });
  writeFileSync(volume, "");
  await turnAfter(2);
  expect(await t.sql`select found from integrity_findings where closed_at is null`).toMatchObject([
    { found: "damaged" },
  ]);
  writeFileSync(volume, whole);
  await turnAfter(5);
  expect(await t.sql`select found from integrity_findings where closed_at is null`).toBeEmpty();
});

test("while the store is away nothing is read again, and no pause grows", async () => {
  flip(volume);
  await t.call("GET", `/api/studies/${studyId}/download`, { as: ana });
  const clock = { now: () => new Date(t.deps.clock.now().getTime() + 120_000) };
  const asks: string[] = [];
  const studies = {
    ...t.deps.owners.studies,
    enqueueCheck: async (_: unknown, id: string) => void asks.push(id),
  };
  let isAway = true;
  const check = async () => {
    if (isAway) throw new StoreUnavailable("away");
  };
  const store = { ...t.deps.store, check };
  const deps = { ...t.deps, store, clock, owners: { ...t.deps.owners, studies } };
  const asked = new Map<string, number>();
  await rereadFindings(deps, asked);
  expect([asks, asked.size]).toEqual([[], 0]);
  isAway = false;
  await rereadFindings(deps, asked);
  expect(asks).toEqual([studyId]);
  writeFileSync(volume, whole);
  await scrub();
});

test("staged bytes that were gone for a moment are read again", async () => {
  const [row] = await t.sql`select id, key from stored_objects where kind = 'volume'`;
  const staged = t.deps.node.stagedPath(String(row?.key));
  rmSync(volume);
  await t.sql`update stored_objects set location = 'staging', staged_on = ${t.deps.node.id} where id = ${row?.id}`;
  const now = new Date(t.deps.clock.now().getTime() + 120_000);
  const foundAt = t.deps.clock.now().toISOString();
  await t.sql`insert into integrity_findings (id, object_id, kind, study_id, key, size_bytes, found, found_at, checked_at)
    values (gen_random_uuid(), ${row?.id}, 'volume', ${studyId}, ${row?.key}, 9, 'missing',
      ${foundAt}::timestamptz, ${foundAt}::timestamptz)`;
  const asks: string[] = [];
  const studies = {
    ...t.deps.owners.studies,
    enqueueCheck: async (_: unknown, id: string) => void asks.push(id),
  };
  const deps = { ...t.deps, clock: { now: () => now }, owners: { ...t.deps.owners, studies } };
  await rereadFindings(deps, new Map());
  expect(asks).toEqual([]);
  await t.sql`update integrity_findings set checked_at = found_at where closed_at is null`;
  await Bun.write(staged, whole);
  await rereadFindings(deps, new Map());
  expect(asks).toEqual([studyId]);
  rmSync(staged);
  writeFileSync(volume, whole);
  await t.sql`update stored_objects set location = 'archive', staged_on = null where id = ${row?.id}`;
  await t.sql`delete from integrity_findings where closed_at is null`;
});

test("another copy is put back when an admin asks", async () => {
  flip(volume);
  await scrub();
  const [finding] = await findings();
  const [row] = await t.sql`select key from stored_objects where kind = 'volume'`;
  await Bun.write(t.deps.node.stagedPath(String(row?.key)), whole);
  const restore = await t.call("POST", `/api/integrity/findings/${finding?.id}/restore`, { as: admin });
  expect(restore.status).toBe(200);
  await t.settle();
  expect(Uint8Array.from(readFileSync(volume))).toEqual(whole);
  expect(await findings()).toEqual([]);
  expect((await findings("closed"))[0]).toMatchObject({ id: finding?.id, healedBy: "copy" });
  await t.deps.staging.delete(String(row?.key));
});

test("a laboratory PDF is read again too, and the admin is not told whose it is", async () => {
  const [row] = await t.sql`select key from lab_exams`;
  const path = join(t.deps.config.dataDir, "objects", String(row?.key));
  const bytes = readFileSync(path);
  flip(path);
  await scrub();
  const [finding] = await findings();
  expect(finding).toMatchObject({ kind: "lab", study: null });
  expect(JSON.stringify(finding)).not.toContain("Hemograma");
  writeFileSync(path, bytes);
  await t.call("POST", `/api/integrity/findings/${finding?.id}/recheck`, { as: admin });
  await t.settle();
  expect(await findings()).toEqual([]);
  expect(await t.sql`select integrity from lab_exams`).toMatchObject([{ integrity: "ok" }]);
});

test("an exam that waits to be purged is not named", async () => {
  flip(volume);
  await scrub();
  const removal = Bun.randomUUIDv7();
  await t.sql`insert into removals
    (id, user_id, reason, created_at, purge_after, study_count, lab_exam_count, plan_id)
    select ${removal}, ${ana.id}, 'cancelled', now(), now() + interval '3 days', 1, 0, id from plans limit 1`;
  await t.sql`update studies set removal_id = ${removal}`;
  expect(await findings()).toMatchObject([{ kind: "volume", study: null }]);
  await t.sql`update studies set removal_id = null`;
  writeFileSync(volume, whole);
});
