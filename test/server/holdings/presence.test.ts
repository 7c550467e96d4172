import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkPresence } from "../../../src/server/holdings/checking/check-presence.ts";
import { presenceQueue } from "../../../src/server/holdings/holding-queues.ts";
import { createDiskStore } from "../../../src/server/storage/disk/disk-store.ts";
import { type ObjectStore, StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const s3 = await startFaultyS3Server();
const folder = createTempFolder();
afterAll(async () => {
  await s3[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const check = (t: TestApp) => checkPresence(t.deps, new AbortController().signal);
const aboutDamage = async (t: TestApp) =>
  (await readOutbox(t.deps.config.dataDir)).filter(({ subject }) => subject.includes("damaged")).length;

async function integrityOf(t: TestApp, person: Person): Promise<Record<string, string>> {
  const studies = (await (await t.call("GET", "/api/studies", { as: person })).json()) as Study[];
  return Object.fromEntries(
    studies.map(({ studyInstanceUID, integrity, storageStatus }) => [
      studyInstanceUID.replace("2.25.1.", ""),
      `${integrity} ${storageStatus}`,
    ]),
  );
}

async function keysOf(t: TestApp, study: string): Promise<string[]> {
  const rows = await t.sql<{ key: string }[]>`
    select key from stored_objects join studies on studies.id = study_id
    where study_instance_uid = ${`2.25.1.${study}`} order by kind, key`;
  return rows.map(({ key }) => key);
}

/** Removes an object from the store and returns a function that puts it back. */
async function takeAway(store: ObjectStore, key: string): Promise<() => Promise<void>> {
  const kept = await store.stat(key);
  const bytes = await store.read(key, { offset: 0, length: kept?.sizeBytes ?? 0 });
  await store.delete(key);
  return () => store.putBytes(key, bytes);
}

async function addLab(t: TestApp, person: Person): Promise<string> {
  const form = await formBody(
    { examName: "Hemograma", modality: "LAB" },
    { name: "file", bytes: samplePdf() },
  );
  const answer = await t.call("POST", "/api/exams-lab/upload", { as: person, ...form });
  return ((await answer.json()) as { id: string }).id;
}

const stores: [name: string, create: () => ObjectStore][] = [
  ["on a disk", () => createDiskStore({ root: join(folder.path, Bun.randomUUIDv7()) })],
  ["in S3, page by page", () => createS3Store({ ...s3.options, pageSize: 2 })],
];

for (const [name, create] of stores) {
  test(`an exam whose bytes are gone ${name} is found without a read, announced once, and healthy when they are back`, async () => {
    await using t = await createTestApp({ overrides: { store: create() } });
    await t.addPerson("Quem Cuida", { role: "admin" });
    const person = await t.addPerson("Dona", { plan: "clinica" });
    const { store } = t.deps;
    for (const study of ["1", "2", "3", "4"]) await t.store(person, sampleZip({ study }));
    const lab = await addLab(t, person);
    await store.putBytes("0-somebody-elses", Uint8Array.of(1));
    await store.putBytes("zz/somebody-elses", Uint8Array.of(1));
    await check(t);
    expect(new Set(Object.values(await integrityOf(t, person)))).toEqual(new Set(["unchecked b2"]));

    const [volume = "", manifest = ""] = await keysOf(t, "2");
    const [, cut = ""] = await keysOf(t, "4");
    const [labRow] = await t.sql`select key from lab_exams where id = ${lab}`;
    const putBack = [
      await takeAway(store, volume),
      await takeAway(store, manifest),
      await takeAway(store, labRow?.key),
    ];
    const restoreCut = await takeAway(store, cut);
    await store.putBytes(cut, Uint8Array.of(1, 2, 3));
    await check(t);
    await check(t);
    await t.settle();
    expect(await integrityOf(t, person)).toEqual({
      1: "unchecked b2",
      2: "missing error",
      3: "unchecked b2",
      4: "damaged b2",
    });
    const [labMark] = await t.sql`select integrity from lab_exams`;
    expect(labMark?.integrity).toBe("missing");
    expect(await aboutDamage(t)).toBe(3);

    await putBack[0]?.();
    await check(t);
    expect((await integrityOf(t, person))["2"]).toBe("missing error");
    for (const back of putBack) await back();
    await restoreCut();
    await check(t);
    await t.settle();
    expect((await integrityOf(t, person))["2"]).toBe("ok b2");
    const [labBack] = await t.sql`select integrity from lab_exams`;
    expect(labBack?.integrity).toBe("unchecked");
    expect(await aboutDamage(t)).toBe(3);
  });
}

test("S3 is asked for a thousand objects at a time, and for single objects only if they are missing", async () => {
  await using t = await createTestApp({ overrides: { store: createS3Store(s3.options) } });
  const person = await t.addPerson("Muitos", { plan: "clinica" });
  for (const study of ["1", "2", "3"]) await t.store(person, sampleZip({ study }, { study, series: "2" }));
  const [gone = ""] = await keysOf(t, "3");
  await t.deps.store.delete(gone);
  s3.seen.length = 0;
  await check(t);
  const asked = s3.seen.map(({ method, key }) => `${method} ${key}`.trim());
  expect(asked).toEqual(["GET", "HEAD", `HEAD ${gone}`, `GET ${gone}`]);
});

describe("a check for missing objects", () => {
  test("marks nothing if the store becomes unreachable, at any moment", async () => {
    await using t = await createTestApp({
      overrides: { store: createS3Store({ ...s3.options, pageSize: 2 }) },
    });
    const person = await t.addPerson("Longe", { plan: "clinica" });
    for (const study of ["1", "2"]) await t.store(person, sampleZip({ study }));
    for (let answered = 0; answered < 3; answered++) {
      let left = answered;
      s3.fault = () => (left-- > 0 ? undefined : { status: 503, code: "ServiceUnavailable" });
      await expect(check(t)).rejects.toThrow(StoreUnavailable);
    }
    s3.fault = () => ({ status: 404, code: "NoSuchBucket" });
    await expect(check(t)).rejects.toThrow(StoreUnavailable);
    s3.fault = () => undefined;
    expect(await integrityOf(t, person)).toEqual({ 1: "unchecked b2", 2: "unchecked b2" });
  });

  test("marks nothing if the whole disk is gone", async () => {
    await using t = await createTestApp();
    const person = await t.addPerson("Sem Disco", { plan: "clinica" });
    await t.store(person, sampleZip({ study: "1" }));
    const objects = join(t.deps.config.dataDir, "objects");
    renameSync(objects, `${objects}-away`);
    await expect(check(t)).rejects.toThrow(StoreUnavailable);
    renameSync(`${objects}-away`, objects);
    expect(await integrityOf(t, person)).toEqual({ 1: "unchecked b2" });
    rmSync(objects, { recursive: true });
  });

  test("skips objects that a node has staged and not yet moved", async () => {
    await using t = await createTestApp({ jobs: false });
    const person = await t.addPerson("Ainda Aqui", { plan: "clinica" });
    expect((await t.upload(person, sampleZip({ study: "1" }))).status).toBe(201);
    expect(readdirSync(join(t.deps.config.dataDir, "objects"))).toEqual(["~unfinished"]);
    await check(t);
    expect(await integrityOf(t, person)).toEqual({ 1: "unchecked local" });
  });

  test("marks nothing that is deleted or added during the check", async () => {
    await using t = await createTestApp({
      overrides: { store: createS3Store({ ...s3.options, pageSize: 2 }) },
    });
    const person = await t.addPerson("Vem e Vai", { plan: "clinica" });
    const { studies } = await t.store(person, sampleZip({ study: "1" }));
    await t.store(person, sampleZip({ study: "2" }));
    const { store } = t.deps;
    const [late = ""] = await keysOf(t, "2");
    const putBack = await takeAway(store, late);
    const { list, stat } = store;
    // The listing ends before the first study is deleted; added objects are found by single requests.
    store.list = async function* (prefix) {
      const listed = await Array.fromAsync(list(prefix));
      await t.call("DELETE", `/api/studies/${studies[0]?.id}`, { as: person });
      await t.settle();
      await putBack();
      yield* listed.slice(2);
    };
    await check(t);
    Object.assign(store, { list, stat });
    expect(await integrityOf(t, person)).toEqual({ 2: "unchecked b2" });
    const [{ count } = { count: 0 }] = await t.sql`
      select count(*)::int as count from pgboss.job where name = 'integrity.tell'`;
    expect(count).toBe(0);
  });

  test("starts some time after the server, is scheduled, and is one job for all nodes", async () => {
    await using t = await createTestApp();
    const again = await t.deps.jobs.enqueue(presenceQueue, {}, { singletonKey: "schedule" });
    expect(again).toBeUndefined();
    const [job] = await t.sql`select start_after > now() + interval '4 minutes' as later
      from pgboss.job where name = ${presenceQueue.name}`;
    expect(job?.later).toBe(true);
    const [plan] = await t.sql`select cron from pgboss.schedule where name = ${presenceQueue.name}`;
    expect(plan?.cron).toBe("13 */6 * * *");
  });
});
