import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { Patience } from "../../../src/server/db/patience.ts";
import { sweepUploads } from "../../../src/server/holdings/sweeping/sweep-uploads.ts";
import { defineQueue } from "../../../src/server/jobs/queue.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { connectSender, type DicomSender } from "../../support/dicom/dicom-sender.ts";
import { type ConnectionProxy, startConnectionProxy } from "../../support/network/connection-proxy.ts";
import { until } from "../../support/until.ts";
import { sampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

/** Long enough for a busy machine that answers. */
const ANSWER_MS = 6_000;
const UNSENT_MS = 1_500;
const END_MS = 7_000;

let t: TestApp;
let proxy: ConnectionProxy;
let person: Person;
let studyId: string;

beforeAll(async () => {
  t = await createTestApp({
    env: { DIMSE_PORT: "0" },
    databaseVia: async (url) => {
      proxy = await startConnectionProxy(url);
      return proxy.url;
    },
    // The log tells of each connection that this file breaks.
    overrides: {
      databasePatience: new Patience(ANSWER_MS, UNSENT_MS, END_MS),
      jobsPatience: new Patience(ANSWER_MS, UNSENT_MS, END_MS),
      log: createLogger({ level: "error", write: () => {} }),
    },
  });
  person = await t.addPerson("Banco Fora");
  studyId = (await t.store(person, sampleZip({ study: "1" }))).studies[0]?.id ?? "";
}, 240_000);
afterEach(() => back());
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

/** Mends the connection, and waits until it is used again. */
async function back(): Promise<void> {
  proxy.mend();
  await until(async () => (await t.call("GET", "/api/studies", { as: person })).status === 200);
}

const staged = async () => (await readdir(t.deps.node.stagingDir)).filter((name) => !name.startsWith("~"));

const calls: Record<string, () => Promise<Response>> = {
  list: () => t.call("GET", "/api/studies", { as: person }),
  "sign in": () =>
    t.call("POST", "/api/auth/login", { json: { email: person.email, password: person.password } }),
  metadata: () => t.call("GET", "/dicomweb/studies/2.25.1.1/metadata", { as: person }),
  download: () => t.call("GET", `/api/studies/${studyId}/download`, { as: person }),
  upload: () => t.upload(person, sampleZip({ study: "1" })),
  delete: () => t.call("DELETE", "/api/studies/01890000-0000-7000-8000-000000000000", { as: person }),
};

for (const fault of ["cut", "stall"] as const) {
  const what = fault === "cut" ? "gone" : "silent";
  test(`while the database is ${what}, every call answers in time that it does not respond, and works again after it`, async () => {
    proxy[fault]();
    // The first may lose a connection in use; the later ones find none.
    for (let round = 0; round < 2; round++) {
      const asked = Object.entries(calls).map(async ([name, call]) => ({ name, answer: await call() }));
      for (const { name, answer } of await Promise.all(asked)) {
        const { code, message } = await problemOf(answer);
        expect([name, answer.status, code]).toEqual([name, 503, "database.unavailable"]);
        expect(message).toBe("The database is not responding. Your exams are safe. Try again shortly.");
        expect(answer.headers.get("retry-after")).toBe("10");
      }
    }
    await back();
    // A connection that was lost meanwhile may be found out by the call that takes it.
    const statuses = () => Promise.all(Object.values(calls).map(async (call) => (await call()).status));
    await until(async () => (await statuses()).join() === "200,200,200,200,201,404");
    await t.settle();
  }, 240_000);
}

test("connections that fell silent are given up one after the other, and calls work again over new ones", async () => {
  proxy.forget();
  for (const [name, call] of Object.entries(calls)) {
    if (name === "upload") continue;
    expect([200, 404, 503]).toContain((await call()).status);
  }
  await until(async () => (await calls.list?.())?.status === 200);
  await until(async () => (await calls.upload?.())?.status === 201);
  await t.settle();
}, 240_000);

test("an upload whose commit gets no answer at all is 503, and what was in force then stays", async () => {
  const zip = sampleZip({ study: "6" });
  let isSilent = false;
  const silent = proxy.loseAnswerTo("commit", { silently: true, behind: 'insert into "studies"' });
  silent.then(() => {
    isSilent = true;
  });
  let refused = await t.upload(person, zip);
  // On a busy machine a statement before the commit may have waited too long, which leaves nothing behind.
  while (!isSilent && refused.status === 503) refused = await t.upload(person, zip);
  expect([refused.status, (await problemOf(refused)).code]).toEqual([503, "database.unavailable"]);
  await sweepUploads(t.deps);
  const studies = await t.sql`select 1 from studies where study_instance_uid = '2.25.1.6'`;
  expect(studies).toHaveLength(1);
  expect((await t.upload(person, zip)).status).toBe(201);
  await t.settle();
}, 240_000);

test("an upload that waits too long for a lock is refused as one that the database does not answer, and taken after it", async () => {
  const zip = sampleZip({ study: "5" });
  const sending = await t.sql.begin(async (tx) => {
    await tx`lock table studies in share row exclusive mode`;
    const asked = t.upload(person, zip);
    // As the time limit of statements does.
    await until(async () => {
      const waiting = await t.sql`select pg_cancel_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and application_name = 'exameteca'`;
      return waiting.length > 0;
    });
    return await asked;
  });
  expect([sending.status, (await problemOf(sending)).code]).toEqual([503, "database.unavailable"]);
  expect((await t.upload(person, zip)).status).toBe(201);
  await t.settle();
}, 240_000);

test("health names the database while it is gone, and is well again after it", async () => {
  const health = async () => {
    const answer = await t.call("GET", "/api/health");
    return [answer.status, ((await answer.json()) as { database: boolean }).database];
  };
  proxy.cut();
  await until(async () => (await health())[0] === 503);
  expect((await health())[1]).toBe(false);
  proxy.mend();
  await until(async () => (await health())[0] === 200);
}, 240_000);

test("an upload that loses the database half-way is refused; nothing of it is kept, and it is taken again", async () => {
  const half = Promise.withResolvers<void>();
  const boundary = "edge";
  const zip = sampleZip({ study: "2" });
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="zipFile"; filename="a.zip"\r\n\r\n`;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(head));
      controller.enqueue(zip.subarray(0, zip.length / 2));
      await half.promise;
      controller.enqueue(zip.subarray(zip.length / 2));
      controller.enqueue(new TextEncoder().encode(`\r\n--${boundary}--\r\n`));
      controller.close();
    },
  });
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  const sending = t.call("POST", "/api/upload-dicom", { as: person, body, headers });
  await until(async () => (await staged()).length > 0);
  proxy.cut();
  half.resolve();
  const refused = await sending;
  expect([refused.status, (await problemOf(refused)).code]).toEqual([503, "database.unavailable"]);
  await back();
  // As each hour; without it nobody could record that the upload failed.
  await sweepUploads(t.deps);
  expect(await staged()).toEqual([]);
  expect([...(await t.sql`select 1 from uploads where state = 'receiving'`)]).toEqual([]);
  expect((await t.upload(person, sampleZip({ study: "2" }))).status).toBe(201);
  await t.settle();
}, 240_000);

test("a download under way ends whole although the database goes", async () => {
  const answer = await t.call("GET", `/api/studies/${studyId}/download`, { as: person });
  proxy.cut();
  const bytes = await answer.arrayBuffer();
  expect(bytes.byteLength).toBe(Number(answer.headers.get("content-length")));
}, 240_000);

test("a job that loses the database while it runs is done once it is back, as is one that waited", async () => {
  const done: string[] = [];
  const running = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const queue = defineQueue<{ name: string }>("faults.job", { retryDelaySeconds: 1 });
  await t.deps.jobs.enqueue(queue, { name: "running" });
  await t.deps.jobs.enqueue(queue, { name: "waiting" });
  await t.deps.jobs.work(queue, async ({ name }) => {
    running.resolve();
    await goOn.promise;
    done.push(name);
  });
  await running.promise;
  proxy.cut();
  goOn.resolve();
  await until(async () => done.length > 0);
  await back();
  await until(async () => done.includes("waiting"));
  await until(async () => {
    const rows = await t.sql`select 1 from pgboss.job where name = 'faults.job' and state <> 'completed'`;
    return rows.length === 0;
  });
}, 240_000);

test("a study that was acknowledged before the database went reaches the archive after it", async () => {
  const sent = await t.upload(person, sampleZip({ study: "3" }));
  proxy.cut();
  expect(sent.status).toBe(201);
  await Bun.sleep(UNSENT_MS);
  await back();
  // A transfer that the cut met could not say that it failed: it is tried again once its heartbeat is missed.
  await until(async () => {
    const rows = await t.sql`select 1 from stored_objects where staged_on is not null`;
    return rows.length === 0;
  }, 150_000);
}, 240_000);

test("while the database is gone, DICOM senders are put off, and what was acknowledged comes in after it", async () => {
  const made = await t.call("POST", "/api/receivers", { as: person, json: { aeTitle: "CLINICA" } });
  expect(made.status).toBe(201);
  const connect = () => connectSender(t.deps.dimse.port ?? 0);
  const store = async (sender: DicomSender, sop: string) => {
    const file = Buffer.from(sampleInstance({ study: "4", sop }));
    const dataSet = file.subarray(144 + file.readUInt32LE(140));
    const sopClassUID = "1.2.840.10008.5.1.4.1.1.2";
    return await sender.store({ sopClassUID, sopInstanceUID: `2.25.3.4.1.${sop}`, dataSet });
  };
  await using first = await connect();
  await using second = await connect();
  for (const sender of [first, second])
    expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
  expect([await store(first, "1"), await store(second, "2")]).toEqual([0, 0]);
  proxy.cut();
  await using late = await connect();
  expect(await late.associate({ called: "CLINICA" })).toEqual([2, 3, 1]);
  expect(await store(first, "3")).toBe(0xa700);
  await second.release();
  // A retry has failed by then, too.
  for (let round = 0; round < 2; round++) expect((await calls.list?.())?.status).toBe(503);
  await back();
  expect(await store(first, "4")).toBe(0);
  await first.release();
  // By the process itself, which knows that nothing more comes: its holds are fresh to all others for minutes.
  await until(async () => {
    const [study] = await t.sql`select instance_count from studies where study_instance_uid = '2.25.1.4'`;
    return study?.instance_count === 3;
  });
}, 240_000);
