import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { zipSync } from "fflate";
import { createDeliveryGate } from "../../../src/server/features/deliveries/delivery-gate.ts";
import { finishUpload } from "../../../src/server/features/ingest/resumable/finish-upload.ts";
import { closeAbandoned } from "../../../src/server/features/ingest/resumable/growing-upload.ts";
import { listWaiting } from "../../../src/server/features/ingest/resumable/growing-uploads.repo.ts";
import { checkPresence } from "../../../src/server/holdings/checking/check-presence.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import type { UsageStats } from "../../../src/shared/api/subscriptions.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { noise } from "../../support/app/damaged-study.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";
import {
  type Fault,
  type FaultyS3Server,
  startFaultyS3Server,
} from "../../support/store/faulty-s3-server.ts";
import { until } from "../../support/until.ts";
import { sampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

const faults: Record<string, Fault> = {
  "out of reach": "reset",
  silent: "stall",
  "answering 503": { status: 503, code: "SlowDown" },
  "refusing our credentials": { status: 403, code: "InvalidAccessKeyId" },
};

let s3: FaultyS3Server;
let t: TestApp;
let person: Person;
let studies = 0;

beforeAll(async () => {
  s3 = await startFaultyS3Server();
  // Long enough for a busy machine that answers.
  const store = createS3Store({ ...s3.options, timeoutMs: 2_000, retries: 1 });
  // Transfers fail on purpose, and each failure is logged.
  const log = createLogger({ level: "error", write: () => {} });
  t = await createTestApp({ overrides: { store, log } });
  person = await t.addPerson("Loja Fora", { plan: "clinica" });
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});
beforeEach(() => {
  s3.fault = () => undefined;
});

const statusOf = async (id: string) =>
  ((await (await t.call("GET", `/api/studies/${id}/status`, { as: person })).json()) as { status: string })
    .status;

const actionsUsed = async () =>
  ((await (await t.call("GET", "/api/subscriptions/usage-stats", { as: person })).json()) as UsageStats)
    .downloadsThisMonth;

/** Has jobs that wait for their next try run now. */
const retryNow = () => t.sql`update pgboss.job set start_after = now() where state = 'retry'`;

const keptKeys = () => [...s3.bucket.objects].filter(([, [latest]]) => latest?.bytes).length;

for (const [what, fault] of Object.entries(faults)) {
  describe(`while the store is ${what}`, () => {
    test("images and downloads answer that it does not respond, all else goes on, and they return with it", async () => {
      const study = String(++studies);
      const [stored] = (await t.store(person, sampleZip({ study }))).studies;
      const metadata = `/dicomweb/studies/2.25.1.${study}/series/2.25.2.${study}.1/metadata`;
      const download = `/api/studies/${stored?.id}/download`;
      // What is known of the study is in memory from here on, and these are read while they are sent.
      const files = `/dicomweb/studies/2.25.1.${study}`;
      const frames = `${files}/series/2.25.2.${study}.1/instances/2.25.3.${study}.1.1/frames/1,1`;
      for (const path of [files, frames]) {
        const answer = await t.call("GET", path, { as: person });
        expect([path, answer.status]).toEqual([path, 200]);
        await answer.arrayBuffer();
      }
      const used = await actionsUsed();
      s3.fault = () => fault;
      // Another node has nothing of it in memory.
      await using other = await t.startAgain();
      const headers = { authorization: `Bearer ${person.token}` };
      for (const path of [metadata, download, `${download}?as=pdi`, files, frames]) {
        const answer = await (path === metadata
          ? other.app.request(path, { headers })
          : t.call("GET", path, { as: person }));
        expect([path, answer.status]).toEqual([path, 503]);
        expect((await problemOf(answer)).code).toBe("store.unavailable");
        expect(answer.headers.get("retry-after")).toBe("10");
      }
      expect(await actionsUsed()).toBe(used);
      expect((await t.call("GET", "/api/studies", { as: person })).status).toBe(200);
      s3.fault = () => undefined;
      for (const path of [metadata, download]) {
        const answer = await t.call("GET", path, { as: person });
        expect([path, answer.status]).toEqual([path, 200]);
        await answer.arrayBuffer();
      }
    }, 240_000);

    test("an upload is kept on this disk, is seen and downloaded, and reaches the store by itself after it", async () => {
      const study = String(++studies);
      s3.fault = () => fault;
      const sent = await t.upload(person, sampleZip({ study }));
      expect(sent.status).toBe(201);
      const [uploaded] = ((await sent.json()) as { studies: { id: string }[] }).studies;
      const id = uploaded?.id ?? "";
      await until(async () => (await statusOf(id)) === "error");
      expect((await t.call("GET", `/api/studies/${id}/download`, { as: person })).status).toBe(200);
      s3.fault = () => undefined;
      await until(async () => {
        await retryNow();
        return (await statusOf(id)) === "b2";
      });
      await t.settle();
    }, 240_000);

    test("a deleted exam is gone at once, and its bytes once the store is back", async () => {
      const before = keptKeys();
      const [stored] = (await t.store(person, sampleZip({ study: String(++studies) }))).studies;
      s3.fault = () => fault;
      expect((await t.call("DELETE", `/api/studies/${stored?.id}`, { as: person })).status).toBe(200);
      expect((await t.call("GET", `/api/studies/${stored?.id}/download`, { as: person })).status).toBe(404);
      s3.fault = () => undefined;
      await until(async () => {
        await retryNow();
        return keptKeys() === before;
      });
    }, 240_000);
  });
}

test("an object that the store's listing does not name yet is not taken for missing", async () => {
  const [stored] = (await t.store(person, sampleZip({ study: String(++studies) }))).studies;
  const { handle, objects } = s3.bucket;
  // As eventually consistent stores do: a listing is older than the object, a look-up is not.
  s3.bucket.handle = (request, body) => {
    if (request.key !== "" || request.method !== "GET") return handle(request, body);
    const hidden = [...objects];
    objects.clear();
    const answer = handle(request, body);
    for (const [key, versions] of hidden) objects.set(key, versions);
    return answer;
  };
  await checkPresence(t.deps, new AbortController().signal);
  s3.bucket.handle = handle;
  const [row] = await t.sql`select integrity from studies where id = ${stored?.id ?? ""}`;
  expect(row?.integrity).not.toBe("missing");
}, 240_000);

test("a piece of a resumable upload that the store lost is asked for again", async () => {
  const tus = tusOf(t, person);
  const zip = sampleZip({ study: String(++studies) });
  const url = await tus.begin(zip.length);
  const parts = () => [...s3.bucket.objects.keys()].filter((key) => key.endsWith(".part"));
  expect((await tus.patch(url, 0, zip.subarray(0, 500))).status).toBe(204);
  for (const key of parts()) s3.bucket.objects.delete(key);
  expect((await tus.patch(url, 500, zip.subarray(500))).status).toBe(409);
  expect((await tus.head(url)).headers.get("upload-offset")).toBe("0");
  expect((await tus.patch(url, 0, zip)).status).toBe(204);
  expect((await tus.outcome(url)).state).toBe("done");
});

test("a resumable upload whose bytes could not be recorded in the middle of a request goes on from what was", async () => {
  const tus = tusOf(t, person);
  // Longer than what is recorded at once.
  const elements = { [TagHex.PixelData]: { vr: "OW", bytes: noise(20 * 1024 ** 2) } };
  const zip = zipSync({ image: [sampleInstance({ study: String(++studies), elements }), { level: 0 }] });
  const url = await tus.begin(zip.length);
  await t.sql`create sequence records`;
  await t.sql`create function fail_once() returns trigger language plpgsql as
    'begin if nextval(''records'') = 1 then raise exception ''a fault''; end if; return new; end'`;
  await t.sql`create trigger fail_once before insert on resumable_parts for each row execute function fail_once()`;
  expect((await tus.patch(url, 0, zip.subarray(0, -1))).status).toBe(500);
  const offset = Number((await tus.head(url)).headers.get("upload-offset"));
  expect((await tus.patch(url, offset, zip.subarray(offset))).status).toBe(204);
  expect(await tus.outcome(url)).toMatchObject({ state: "done" });
  await t.sql`drop function fail_once cascade`;
}, 120_000);

test("a resumable upload that is whole waits for the store for longer than its job is tried", async () => {
  const tus = tusOf(t, person);
  const zip = sampleZip({ study: String(++studies) });
  const url = await tus.begin(zip.length);
  const id = url.split("/").at(-1) ?? "";
  let reads = 0;
  // The first one looks whether the piece is kept.
  const isFirst = (key: string) => key.startsWith(id) && ++reads === 1;
  s3.fault = ({ method, key }) =>
    method === "GET" && !isFirst(key) ? { status: 503, code: "SlowDown" } : undefined;
  expect((await tus.patch(url, 0, zip)).status).toBe(204);
  const deps = { ...t.deps, gate: createDeliveryGate(t.deps) };
  const run = { id: "", enqueuedAt: new Date(), signal: new AbortController().signal };
  // The job of the upload may take it over each time.
  await until(async () => {
    await finishUpload(deps, id, { ...run, attempt: 30 });
    return (await listWaiting(t.deps.db)).includes(id);
  });
  expect((await tus.read(url)).state).toBe("processing");
  s3.fault = () => undefined;
  await closeAbandoned(t.deps);
  expect((await tus.outcome(url)).state).toBe("done");
});
