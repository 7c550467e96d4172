import { afterAll, beforeAll, expect, test } from "bun:test";
import { readConfig } from "../../../src/server/config.ts";
import { connectDatabase } from "../../../src/server/db/client.ts";
import { createCollector } from "../../../src/server/features/monitoring/collect.ts";
import { createHealthChecks } from "../../../src/server/http/health-checks.ts";
import { defineQueue } from "../../../src/server/jobs/queue.ts";
import { encodeOpenMetrics } from "../../../src/server/metrics/open-metrics.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";
import { type ReadFamily, readOpenMetrics } from "../../support/read-open-metrics.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const token = "ne0~!#$%&metrics";
let t: TestApp;
let person: Person;

beforeAll(async () => {
  t = await createTestApp({ env: { METRICS_TOKEN: token } });
  person = await t.addPerson("Ana Metricada");
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const bearer = { authorization: `Bearer ${token}` };

async function scrape(app: Pick<TestApp, "app"> = t): Promise<ReadFamily[]> {
  const answer = await app.app.request("/metrics", { headers: bearer });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe(
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  );
  return readOpenMetrics(await answer.text());
}

/** Metrics read from the database now: a node that has just started has no cached readings. */
async function scrapeUncached(): Promise<ReadFamily[]> {
  await using again = await t.startAgain();
  return await scrape(again);
}

function total(families: ReadFamily[], name: string, labels: Record<string, string> = {}): number {
  const samples = families.flatMap((family) => family.samples);
  const has = (sample: (typeof samples)[number]) =>
    sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text);
  return samples.filter(has).reduce((sum, { value }) => sum + value, 0);
}

test("without METRICS_TOKEN the metrics address is 404, whatever is sent", async () => {
  const { config } = t.deps;
  config.metricsToken = undefined;
  try {
    const unknown = await problemOf(await t.call("GET", "/metrics/none"));
    for (const headers of [{}, bearer, { authorization: "Bearer undefined" }]) {
      await using again = await t.startAgain();
      const answer = await again.app.request("/metrics", {
        headers: { "accept-language": "en", ...headers },
      });
      expect(answer.status).toBe(404);
      expect(await problemOf(answer)).toEqual({ ...unknown, requestId: expect.any(String) });
    }
  } finally {
    config.metricsToken = token;
  }
});

test("only the exact token, sent as bearer, gets the metrics", async () => {
  for (const authorization of [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    `Bearer ${token}x`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer x ${token}`,
    `Basic ${token}`,
    token,
    `Bearer ${person.token}`,
  ]) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await t.call("GET", "/metrics", { headers });
    expect([authorization, answer.status]).toEqual([authorization, 401]);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(await answer.text()).not.toContain("exameteca_");
  }
  expect((await t.call("GET", `/metrics?token=${token}`)).status).toBe(401);
});

test("a token that no header can carry is named at the start", () => {
  for (const METRICS_TOKEN of ["ação", "two words", "x".repeat(1025)]) {
    expect(() => readConfig({ METRICS_TOKEN })).toThrow("METRICS_TOKEN");
  }
  expect(readConfig({ METRICS_TOKEN: token }).metricsToken).toBe(token);
});

test("a new node shows what it is, has and needs", async () => {
  const families = await scrape();
  const names = new Set(families.map(({ name }) => name));
  for (const name of [
    "exameteca_build",
    "exameteca_http_requests",
    "exameteca_http_request_duration_seconds",
    "exameteca_uploads",
    "exameteca_queue_jobs",
    "exameteca_queue_oldest_age_seconds",
  ]) {
    expect(names).toContain(name);
  }
  for (const part of ["database", "store", "disk"]) {
    expect(total(families, "exameteca_up", { part })).toBe(1);
    expect(total(families, "exameteca_latency_seconds", { part })).toBeGreaterThan(0);
  }
  expect(total(families, "process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
  const free = total(families, "exameteca_disk_free_bytes");
  expect(free).toBeGreaterThan(0);
  expect(total(families, "exameteca_disk_size_bytes")).toBeGreaterThanOrEqual(free);
});

test("a node tells how far its clock is ahead of the database's", async () => {
  const offset = async () => total(await scrapeUncached(), "exameteca_clock_offset_seconds");
  expect(Math.abs(await offset())).toBeLessThan(5);
  t.advance(10 * 60_000);
  try {
    expect(Math.abs((await offset()) - 600)).toBeLessThan(5);
  } finally {
    t.advance(-10 * 60_000);
  }
});

test("requests and uploads are counted by outcome", async () => {
  const before = await scrape();
  const zip = sampleZip({ study: "1" });
  await t.store(person, zip);
  expect((await t.upload(person, new Uint8Array(100))).status).toBe(422);
  await t.call("GET", "/api/studies/01890000-0000-7000-8000-000000000000", { as: person });
  await t.call("GET", "/api/health");
  await t.call("GET", "/no/such/page/of/ana");
  const after = await scrape();
  const grew = (name: string, labels: Record<string, string>) =>
    total(after, name, labels) - total(before, name, labels);
  const route = "/api/studies/:study";
  expect(grew("exameteca_http_requests_total", { method: "GET", route, status: "4xx" })).toBe(1);
  expect(grew("exameteca_http_requests_total", { route: "/api/health", status: "2xx" })).toBe(1);
  expect(grew("exameteca_http_requests_total", { route: "/api/upload-dicom", status: "2xx" })).toBe(1);
  expect(grew("exameteca_http_request_duration_seconds_count", { route: "/api/upload-dicom" })).toBe(2);
  expect(grew("exameteca_uploads_total", { outcome: "stored" })).toBe(1);
  expect(grew("exameteca_uploads_total", { outcome: "refused" })).toBe(1);
  expect(grew("exameteca_upload_bytes_total", { outcome: "stored" })).toBeGreaterThan(zip.length);
  expect(grew("exameteca_upload_seconds_total", { outcome: "stored" })).toBeGreaterThan(0);
  expect(total(after, "exameteca_uploads_in_flight")).toBe(0);
});

test("studies are counted by location and state", async () => {
  const stored = await t.store(person, sampleZip({ study: "2" }, { study: "3" }));
  const ids = stored.studies.map(({ id }) => id);
  const before = await scrapeUncached();
  await t.sql`update studies set storage_status = 'error', integrity = 'damaged' where id = ${ids[0] ?? ""}`;
  await t.sql`update studies set integrity = 'missing' where id = ${ids[1] ?? ""}`;
  const after = await scrapeUncached();
  const [all] = await t.sql`select count(*)::int as studies from studies`;
  expect(total(after, "exameteca_studies")).toBe(all?.studies);
  expect(total(after, "exameteca_studies", { storage_status: "error" })).toBe(1);
  expect(total(after, "exameteca_studies", { storage_status: "b2" })).toBe(
    total(before, "exameteca_studies", { storage_status: "b2" }) - 1,
  );
  expect(total(after, "exameteca_studies_by_integrity", { integrity: "damaged" })).toBe(1);
  expect(total(after, "exameteca_studies_by_integrity", { integrity: "missing" })).toBe(1);
});

test("uploads under way are counted, with the bytes that are reserved for them", async () => {
  const tus = tusOf(t, person);
  const url = await tus.begin(5_000);
  await tus.patch(url, 0, new Uint8Array(2_000));
  const families = await scrapeUncached();
  expect(total(families, "exameteca_open_uploads", { state: "receiving" })).toBe(1);
  expect(total(families, "exameteca_open_uploads", { state: "processing" })).toBe(0);
  expect(total(families, "exameteca_open_upload_bytes", { of: "reserved" })).toBe(5_000);
  expect(total(families, "exameteca_open_upload_bytes", { of: "received" })).toBe(2_000);
  await tus.end(url);
});

test("jobs that wait, and those that failed for good, are counted", async () => {
  const idle = defineQueue<{ n: number }>("idle");
  await t.deps.jobs.enqueue(idle, { n: 1 });
  await t.deps.jobs.enqueue(idle, { n: 2 }, { runAfterSeconds: 600 });
  await t.sql`update pgboss.job set start_after = now() - interval '1 hour' where name = 'idle' and data->>'n' = '1'`;
  const hopeless = defineQueue<{ n: number }>("hopeless", { retryLimit: 0 });
  expect(total(await scrapeUncached(), "exameteca_dead_letters")).toBe(0);
  await t.deps.jobs.work(hopeless, async () => {
    throw new Error("broken");
  });
  await t.deps.jobs.enqueue(hopeless, { n: 3 });
  let families = await scrapeUncached();
  const deadline = performance.now() + 60_000;
  while (total(families, "exameteca_dead_letters") < 1 && performance.now() < deadline)
    families = await scrapeUncached();
  expect(total(families, "exameteca_dead_letters")).toBe(1);
  expect(total(families, "exameteca_queue_jobs", { queue: "idle", state: "waiting" })).toBe(1);
  expect(total(families, "exameteca_queue_jobs", { queue: "idle", state: "delayed" })).toBe(1);
  const age = total(families, "exameteca_queue_oldest_age_seconds", { queue: "idle" });
  expect(age).toBeGreaterThanOrEqual(3_600);
  expect(age).toBeLessThan(3_700);
}, 240_000);

test("no label has anyone's id, name, address or path", async () => {
  await t.call("GET", `/reset-password/${person.token}`);
  await t.call("GET", `/api/studies/2.25.1.1/status?name=Ana`, { as: person });
  await t.call("GET", "/dicomweb/studies/2.25.1.1/metadata", { as: person });
  await t.call("GET", `/ana/${person.email}`);
  const texts = (await scrape()).flatMap(({ samples }) =>
    samples.flatMap(({ labels }) =>
      Object.entries(labels).filter(([name]) => !/^(le|version|bun)$/.test(name)),
    ),
  );
  expect(texts.length).toBeGreaterThan(50);
  const telling = /[0-9a-f]{8}-[0-9a-f]{4}|\d+\.\d+|@|ana\b|metricada|exames|eyJ/i;
  expect(texts.filter(([, text]) => telling.test(text))).toEqual([]);
});

test("concurrent scrapes query the database once and never list the store", async () => {
  const asked: string[] = [];
  const noting = <Part extends object>(part: Part) =>
    new Proxy(part, {
      get(target, name) {
        asked.push(String(name));
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const deps = { ...t.deps, db: noting(t.deps.db), store: noting(t.deps.store) };
  const collect = createCollector(deps, createHealthChecks(deps));
  const all = await Promise.all(Array.from({ length: 50 }, () => collect()));
  expect(new Set(all.map((families) => families.map(({ name }) => name).join())).size).toBe(1);
  // The queues, the ping and the clock; the studies, the last round, the open findings and the open uploads; the store's own check
  // and what it remembers.
  expect(asked.sort()).toEqual(["check", ...Array(3).fill("execute"), "refusal", ...Array(4).fill("select")]);
});

test("the other metrics are shown while the database is out of reach", async () => {
  const nowhere = connectDatabase({ url: "postgres://x@127.0.0.1:1/x" });
  const deps = { ...t.deps, db: nowhere.db };
  const collect = createCollector(deps, createHealthChecks(deps));
  const families = readOpenMetrics(encodeOpenMetrics(await collect()));
  expect(total(families, "exameteca_up", { part: "database" })).toBe(0);
  expect(total(families, "exameteca_up", { part: "store" })).toBe(1);
  expect(total(families, "exameteca_disk_size_bytes")).toBeGreaterThan(0);
  const names = families.map(({ name }) => name);
  for (const name of ["exameteca_queue_jobs", "exameteca_dead_letters", "exameteca_studies"])
    expect(names).not.toContain(name);
  await nowhere.close();
});
