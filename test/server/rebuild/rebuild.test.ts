import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { relabelManifest } from "../../../src/server/archive/manifest-codec.ts";
import { findExistingUsers } from "../../../src/server/features/accounts/users/users.repo.ts";
import { relabelStudies } from "../../../src/server/features/ingest/relabel-study.ts";
import { chooseOwners } from "../../../src/server/features/rebuild/choose-owners.ts";
import { rebuildStudies, type VolumeReport } from "../../../src/server/features/rebuild/rebuild-studies.ts";
import { surveyStore } from "../../../src/server/features/rebuild/survey-store.ts";
import { holdDeletions } from "../../../src/server/holdings/deletion-hold.repo.ts";
import type { Series, Study } from "../../../src/shared/api/studies.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { connectSender } from "../../support/dicom/dicom-sender.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { verify } from "../../support/program/installations.ts";
import { filesBelow, sha256 } from "../../support/program/stored-bytes.ts";
import { startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { until } from "../../support/until.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const never = new AbortController().signal;
const CT = "1.2.840.10008.5.1.4.1.1.2";

/** An app with the objects of another one, and with another database: all that the second has is in the store. */
async function startOnObjectsOf(lost: TestApp, env: Record<string, string> = {}): Promise<TestApp> {
  const t = await createTestApp({ env: { ACK: "store", ...env } });
  const objects = join(lost.deps.config.dataDir, "objects");
  if (existsSync(objects)) cpSync(objects, join(t.deps.config.dataDir, "objects"), { recursive: true });
  return t;
}

interface RebuildInput {
  named?: string[];
  takesUnlabelled?: boolean;
  /** Stops the rebuild before this volume. */
  stopBefore?: number;
}

async function rebuild(
  t: TestApp,
  { id, email }: Person,
  { named = [], takesUnlabelled = false, stopBefore = Number.POSITIVE_INFINITY }: RebuildInput = {},
): Promise<VolumeReport[]> {
  const survey = await surveyStore(t.deps.store, { signal: never });
  const existing = await findExistingUsers(t.deps.db, [...survey.owners.keys()]);
  const owners = chooseOwners(survey, { account: { id, email }, existing, named });
  const reports: VolumeReport[] = [];
  const { config } = t.deps;
  const sender = {
    caller: { userId: id, role: "admin" } as const,
    uploader: { accountId: id, isTrial: false },
    origin: { details: { by: "rebuild" } },
    signal: never,
  };
  await rebuildStudies(t.deps, sender, {
    ...{ survey, owners, takesUnlabelled },
    storedPath: config.s3 ? undefined : (key) => join(config.dataDir, "objects", key),
    async beforeVolume() {
      if (reports.length >= stopBefore) throw new Error("killed");
    },
    onReport: async (report) => {
      reports.push(report);
    },
  });
  await t.settle();
  return reports;
}

/** Everything that an account is shown of its studies, but for the bytes at rest: new manifests may be some bytes longer. */
async function shownTo(t: TestApp, person: Person): Promise<unknown[]> {
  const as = person;
  const studies = (await (await t.call("GET", "/api/studies", { as })).json()) as Study[];
  return await Promise.all(
    studies.map(async ({ sizeBytes: _manifestsToo, ...study }) => {
      const series = (await (
        await t.call("GET", `/api/studies/${study.id}/series`, { as })
      ).json()) as Series[];
      const data = Buffer.from(JSON.stringify([{ userId: person.id, id: study.id }])).toString("base64url");
      const { token } = (await (await t.call("GET", `/generate-token?data=${data}`, { as })).json()) as {
        token: string;
      };
      const web = `/dicomweb/t/${token}/studies/${study.studyInstanceUID}/series`;
      const images = await Promise.all(
        series.map(async ({ seriesInstanceUID }) => {
          const path = `${web}/${seriesInstanceUID}`;
          const metadata = (await (await t.call("GET", `${path}/metadata`)).json()) as Metadata[];
          const frames = await Promise.all(
            metadata.map(async (instance) => {
              const frame = await t.call("GET", `${path}/instances/${sopOf(instance)}/frames/1`, {
                headers: { accept: "multipart/related; type=application/octet-stream; transfer-syntax=*" },
              });
              return [frame.status, sha256(await partOf(frame))];
            }),
          );
          return { metadata, frames };
        }),
      );
      const download = await t.call("GET", `/api/studies/${study.id}/download`, { as });
      return { study, series, images, download: sha256(await download.bytes()) };
    }),
  );
}

type Metadata = Record<string, { Value?: unknown[] }>;

const sopOf = (instance: Metadata) => String(instance["00080018"]?.Value?.[0]);

/** A frame without its boundary, which is random. */
async function partOf(answer: Response): Promise<Uint8Array> {
  const bytes = Buffer.from(await answer.arrayBuffer());
  const boundary = /boundary="?([^";]+)/.exec(answer.headers.get("content-type") ?? "")?.[1];
  return boundary === undefined
    ? bytes
    : Buffer.from(bytes.toString("latin1").replaceAll(boundary, ""), "latin1");
}

/** Studies with several volumes and series, two contents under one UID, and values of the form. */
async function fill(t: TestApp, person: Person): Promise<void> {
  await t.store(
    person,
    sampleZip(
      { study: "1", sop: "1" },
      { study: "1", sop: "2", instanceNumber: 2 },
      { study: "1", series: "2", elements: { "00200011": { vr: "IS", Value: [7] } } },
    ),
    { patientName: "Maria Digitada", description: "Controle", studyInstanceUID: studyUID("1") },
  );
  await t.store(person, sampleZip({ study: "1", sop: "3" }, { study: "1", sop: "1", instanceNumber: 9 }));
  await t.store(person, sampleZip({ study: "2" }, { study: "3" }));
  await t.store(person, sampleZip({ study: "1", sop: "4" }), {
    accessionNumber: "A-99",
    studyInstanceUID: studyUID("1"),
  });
}

for (const kind of ["disk", "S3"] as const) {
  test(`a lost database's studies are shown as before from the volumes alone (${kind})`, async () => {
    await using s3 = kind === "S3" ? await startFaultyS3Server() : undefined;
    const env = s3 ? s3Environment(s3.options) : {};
    await using lost = await createTestApp({ env });
    const ana = await lost.addPerson("Ana", { plan: "clinica" });
    await fill(lost, ana);
    const before = await shownTo(lost, ana);
    expect(before).toHaveLength(3);

    await using t = await startOnObjectsOf(lost, env);
    // The plan holds fewer exams than there were.
    const again = await t.addPerson("Ana", { plan: "avaliacao" });
    expect(again.email).toBe(ana.email);
    const reports = await rebuild(t, again);
    expect(reports.map(({ outcome }) => outcome)).toEqual(Array(5).fill("rebuilt"));
    expect(await shownTo(t, again)).toEqual(before);
    const [counted] = await t.sql`select exam_count from subscriptions where user_id = ${again.id}`;
    expect(counted).toEqual({ exam_count: 3 });
    expect((await verify(t.deps.config)).findings).toEqual([]);

    // Run again, it finds everything there.
    expect((await rebuild(t, again)).map(({ outcome }) => outcome)).toEqual(Array(5).fill("already there"));
    expect(await shownTo(t, again)).toEqual(before);
  }, 240_000);
}

test("a volume that a listing once left out is brought by the next rebuild, with its labels", async () => {
  await using lost = await createTestApp();
  const ana = await lost.addPerson("Ana", { plan: "clinica" });
  await fill(lost, ana);
  const before = await shownTo(lost, ana);
  await using t = await startOnObjectsOf(lost);
  const again = await t.addPerson("Ana", { plan: "clinica" });
  const { store } = t.deps;
  const [, leftOut] = (await surveyStore(store, { signal: never })).volumes;
  let listings = 0;
  async function* list(prefix: string) {
    const isFirst = ++listings === 1;
    for await (const object of store.list(prefix)) if (!isFirst || object.key !== leftOut?.key) yield object;
  }
  expect(await rebuild({ ...t, deps: { ...t.deps, store: { ...store, list } } }, again)).toHaveLength(4);
  await rebuild(t, again);
  expect(await shownTo(t, again)).toEqual(before);
}, 240_000);

test("all contents under one UID that a DICOM sender was told are kept come back, however many", async () => {
  await using lost = await createTestApp({ env: { ACK: "store", DIMSE_PORT: "0" } });
  const ana = await lost.addPerson("Ana", { plan: "clinica" });
  await lost.call("POST", "/api/receivers", { as: ana, json: { aeTitle: "MUITOS" } });
  {
    await using sender = await connectSender(lost.deps.dimse.port ?? 0);
    expect(await sender.associate({ called: "MUITOS" })).toBe("accepted");
    for (let n = 0; n < 20; n++) {
      const elements = {
        "00080016": { vr: "UI", Value: [CT] },
        "00100020": { vr: "LO", Value: [String(n)] },
      };
      const file = Buffer.from(sampleInstance({ elements }));
      const dataSet = file.subarray(144 + file.readUInt32LE(140));
      expect(await sender.store({ sopClassUID: CT, sopInstanceUID: "2.25.3.1.1.1", dataSet })).toBe(0);
    }
    await sender.release();
  }
  const before = await untilShown(lost, ana);
  await using t = await startOnObjectsOf(lost);
  const person = await t.addPerson("Ana", { plan: "clinica" });
  await rebuild(t, person);
  expect(await untilShown(t, person)).toEqual(before);
  expect(before).toHaveLength(20);
});

/** The hashes of all files of the only study, once there is one. */
async function untilShown(t: TestApp, as: Person): Promise<string[]> {
  let id: string | undefined;
  await until(async () => {
    await t.settle();
    const studies = (await (await t.call("GET", "/api/studies", { as })).json()) as Study[];
    id = studies[0]?.id;
    return id !== undefined;
  });
  const download = await t.call("GET", `/api/studies/${id}/download`, { as });
  return Object.values(unzipSync(await download.bytes()))
    .map(sha256)
    .sort();
}

test("volumes that the store once gives wrong are brought as they are", async () => {
  await using s3 = await startFaultyS3Server();
  const env = s3Environment(s3.options);
  await using lost = await createTestApp({ env });
  const ana = await lost.addPerson("Ana", { plan: "clinica" });
  await fill(lost, ana);
  const before = await shownTo(lost, ana);
  await using t = await startOnObjectsOf(lost, env);
  const again = await t.addPerson("Ana", { plan: "clinica" });
  const honest = s3.bucket.handle;
  const given = new Set<string>();
  s3.bucket.handle = (request, body) => {
    const answer = honest(request, body);
    if (request.method !== "GET" || !request.key.endsWith(".zip") || given.has(request.key)) return answer;
    given.add(request.key);
    return {
      ...answer,
      body: answer.body.map((byte, at) => (at === answer.body.length >> 2 ? byte ^ 1 : byte)),
    };
  };
  expect((await rebuild(t, again)).map(({ outcome }) => outcome)).toEqual(Array(5).fill("rebuilt"));
  expect(given.size).toBe(5);
  expect(await shownTo(t, again)).toEqual(before);
  expect((await verify(t.deps.config)).findings).toEqual([]);
}, 240_000);

describe("exams of several accounts in one store", () => {
  let lost: TestApp;
  let ana: Person;
  let bia: Person;
  beforeAll(async () => {
    lost = await createTestApp();
    ana = await lost.addPerson("Ana", { plan: "clinica" });
    bia = await lost.addPerson("Bia", { plan: "clinica" });
    await lost.store(ana, sampleZip({ study: "1" }));
    await lost.store(ana, sampleZip({ study: "2" }));
    await lost.store(bia, sampleZip({ study: "1" }));
  }, 240_000);
  afterAll(() => lost[Symbol.asyncDispose]());

  const uidsOf = async (t: TestApp, person: Person) =>
    ((await (await t.call("GET", "/api/studies", { as: person })).json()) as Study[])
      .map(({ studyInstanceUID }) => studyInstanceUID)
      .sort();

  test("go to the account with the same address only, and to others only if the operator names them", async () => {
    await using t = await startOnObjectsOf(lost);
    const newAna = await t.addPerson("Ana", { plan: "clinica" });
    const carla = await t.addPerson("Carla", { plan: "clinica" });
    expect(await rebuild(t, carla)).toEqual([]);
    expect(await rebuild(t, newAna)).toHaveLength(2);
    expect([await uidsOf(t, newAna), await uidsOf(t, carla)]).toEqual([[studyUID("1"), studyUID("2")], []]);
    expect(await rebuild(t, carla, { named: [bia.id] })).toHaveLength(1);
    expect(await uidsOf(t, carla)).toEqual([studyUID("1")]);
    // What belongs to an account of this database is nobody else's, whoever names it.
    await expect(rebuild(t, carla, { named: [newAna.id] })).rejects.toThrow("former account");
    await expect(rebuild(t, carla, { named: [crypto.randomUUID()] })).rejects.toThrow("former account");
    expect((await verify(t.deps.config)).findings).toEqual([]);
  });

  test("go to nobody while the address alone does not tell whose they are", async () => {
    await using t = await startOnObjectsOf(lost);
    const newAna = await t.addPerson("Ana", { plan: "clinica" });
    await t.store(newAna, sampleZip({ study: "5" }));
    await using second = await startOnObjectsOf(t);
    const thirdAna = await second.addPerson("Ana", { plan: "clinica" });
    await expect(rebuild(second, thirdAna)).rejects.toThrow("Several former accounts had this address");
    expect(await uidsOf(second, thirdAna)).toEqual([]);
    await rebuild(second, thirdAna, { named: [newAna.id] });
    expect(await uidsOf(second, thirdAna)).toEqual([studyUID("5")]);
  });

  test("come without their labels only if the operator says so", async () => {
    await using t = await startOnObjectsOf(lost);
    const { dataDir } = t.deps.config;
    for (const key of filesBelow(join(dataDir, "objects")))
      if (key.endsWith(".manifest")) rmSync(join(dataDir, "objects", key));
    const newAna = await t.addPerson("Ana", { plan: "clinica" });
    expect(await rebuild(t, newAna)).toEqual([]);
    const outcomes = (await rebuild(t, newAna, { takesUnlabelled: true })).map(
      ({ outcome, reason }) => reason ?? outcome,
    );
    // Both accounts had the same instance of one study.
    expect(outcomes.sort()).toEqual(["nothing_new", "rebuilt", "rebuilt"]);
    expect(await uidsOf(t, newAna)).toEqual([studyUID("1"), studyUID("2")]);
  });
});

describe("labels", () => {
  const pdf = samplePdf("laudo de Ana");

  async function attachReport(t: TestApp, person: Person, study: string): Promise<void> {
    const form = await formBody({ studyInstanceUID: study }, { name: "laudo", bytes: pdf });
    const answer = await t.call("POST", "/api/studies/laudo/upload", { as: person, ...form });
    expect(answer.status).toBe(201);
  }

  /** Takes the labels away, as a release that wrote none left its manifests. */
  async function strip(t: TestApp): Promise<void> {
    const rows = await t.sql<{ id: string; key: string }[]>`
      select id, key from stored_objects where kind = 'manifest'`;
    for (const { id, key } of rows) {
      const path = join(t.deps.config.dataDir, "objects", key);
      const bytes = await relabelManifest(readFileSync(path), undefined as never);
      writeFileSync(path, bytes);
      // As another object: none ever changes.
      const other = Bun.randomUUIDv7();
      await t.sql`update stored_objects set id = ${other}, size_bytes = ${bytes.length}, sha256 = ${sha256(bytes)} where id = ${id}`;
      await t.sql`update series set manifest_id = ${other} where manifest_id = ${id}`;
    }
    await t.sql`update studies set labelled = false`;
    // Manifests that were replaced lately wait for their deletion.
    const named = new Set(rows.map(({ key }) => key));
    const objects = join(t.deps.config.dataDir, "objects");
    for (const key of filesBelow(objects))
      if (key.endsWith(".manifest") && !named.has(key)) rmSync(join(objects, key));
  }

  test("are written for studies of older releases, and bring the form's values and the laudo back", async () => {
    await using lost = await createTestApp();
    const ana = await lost.addPerson("Ana", { plan: "clinica" });
    await fill(lost, ana);
    await strip(lost);
    await attachReport(lost, ana, studyUID("1"));
    const before = await shownTo(lost, ana);
    expect((await surveyStore(lost.deps.store, { signal: never })).labelled).toEqual([]);
    await relabelStudies(lost.deps, never);
    await lost.settle();
    // Labels change nothing that is shown.
    expect(await shownTo(lost, ana)).toEqual(before);
    const unlabelled = await lost.sql`select 1 from studies where not labelled`;
    expect(unlabelled).toHaveLength(0);

    await using t = await startOnObjectsOf(lost);
    const again = await t.addPerson("Ana", { plan: "clinica" });
    await expect(rebuild(t, again, { stopBefore: 4 })).rejects.toThrow("killed");
    await rebuild(t, again);
    expect(await shownTo(t, again)).toEqual(before);
    const report = await t.call("GET", `/api/studies/laudo/${studyUID("1")}`, { as: again });
    expect(sha256(await report.bytes())).toBe(sha256(pdf));
    const removed = await t.call("DELETE", `/api/studies/laudo/${studyUID("1")}`, { as: again });
    expect(removed.status).toBe(200);
  });

  test("follow the account to a new address, so that nobody who gets the old one gets the exams", async () => {
    await using lost = await createTestApp();
    const ana = await lost.addPerson("Ana", { plan: "clinica" });
    await lost.store(ana, sampleZip({ study: "1" }, { study: "2" }));
    await relabelStudies(lost.deps, never);
    await lost.sql`update users set email = 'nova@example.com' where id = ${ana.id}`;
    await relabelStudies(lost.deps, never);
    await lost.settle();
    await using t = await startOnObjectsOf(lost);
    const stranger = await t.addPerson("Ana", { plan: "clinica" });
    expect(stranger.email).toBe(ana.email);
    expect(await rebuild(t, stranger)).toEqual([]);
    await t.sql`update users set email = 'Nova@Example.com' where id = ${stranger.id}`;
    expect(await rebuild(t, { ...stranger, email: "Nova@Example.com" })).toHaveLength(2);
  });

  test("say values that only a form brought, and are left alone while they are right", async () => {
    await using t = await createTestApp();
    const ana = await t.addPerson("Ana", { plan: "clinica" });
    await t.store(ana, sampleZip({ study: "1" }));
    const labelOf = async () => (await surveyStore(t.deps.store, { signal: never })).labelled[0]?.label;
    const first = await labelOf();
    await relabelStudies(t.deps, never);
    expect(await labelOf()).toEqual(first);
    await t.store(ana, sampleZip({ study: "1" }), { description: "Só no formulário" });
    expect((await labelOf())?.overrides).toEqual({});
    await relabelStudies(t.deps, never);
    expect((await labelOf())?.overrides).toEqual({ description: "Só no formulário" });
  });
});

describe("a rebuild", () => {
  test("goes on where it was stopped, and leaves nothing behind", async () => {
    await using lost = await createTestApp();
    const ana = await lost.addPerson("Ana", { plan: "clinica" });
    await fill(lost, ana);
    const before = await shownTo(lost, ana);
    await using t = await startOnObjectsOf(lost);
    const again = await t.addPerson("Ana", { plan: "clinica" });
    for (const stopBefore of [1, 3])
      await expect(rebuild(t, again, { stopBefore })).rejects.toThrow("killed");
    await t.settle();
    await rebuild(t, again);
    expect(await shownTo(t, again)).toEqual(before);
    expect((await verify(t.deps.config)).findings).toEqual([]);
  });

  test("names a volume with a damaged instance, and brings the others", async () => {
    await using lost = await createTestApp();
    const ana = await lost.addPerson("Ana", { plan: "clinica" });
    await lost.store(ana, sampleZip({ study: "1", sop: "1" }, { study: "1", sop: "2" }));
    await using t = await startOnObjectsOf(lost);
    const objects = join(t.deps.config.dataDir, "objects");
    const volume = [...filesBelow(objects)].find((key) => key.endsWith(".zip")) ?? "";
    const bytes = readFileSync(join(objects, volume));
    const at = bytes.length >> 2;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(join(objects, volume), bytes);
    const again = await t.addPerson("Ana", { plan: "clinica" });
    expect(await rebuild(t, again)).toMatchObject([
      { volume, outcome: "refused", reason: "damaged", instances: 1 },
    ]);
  });
});

test("a volume that has the bytes of somebody else's exam is refused", async () => {
  await using lost = await createTestApp({});
  const ana = await lost.addPerson("Ana", { plan: "clinica" });
  await lost.store(ana, sampleZip({ study: "1" }));
  const bia = await lost.addPerson("Bia", { plan: "clinica" });
  await lost.store(bia, sampleZip({ study: "2" }));
  await using t = await startOnObjectsOf(lost);
  const objects = join(t.deps.config.dataDir, "objects");
  const [ofAna = "", ofBia = ""] = [...filesBelow(objects)].filter((name) => name.endsWith(".zip")).sort();
  cpSync(join(objects, ofBia), join(objects, ofAna));
  const newAna = await t.addPerson("Ana", { plan: "clinica" });

  expect(await rebuild(t, newAna)).toEqual([
    {
      volume: ofAna,
      studyInstanceUID: studyUID("1"),
      outcome: "refused",
      reason: "volume.of_another_study",
    },
  ]);
  expect(await shownTo(t, newAna)).toEqual([]);
});

test("an old exam that its owner deleted does not come back while a backup holds its bytes", async () => {
  await using t = await createTestApp({ env: { ACK: "store" } });
  const ana = await t.addPerson("Ana", { plan: "clinica" });
  const { id } = (await t.store(ana, sampleZip({ study: "1" }))).studies[0] ?? { id: "" };
  await t.sql`delete from uploads`; // as a month after it
  await using _ = await holdDeletions(t.deps.config.databaseUrl ?? "");
  expect((await t.call("DELETE", `/api/studies/${id}`, { as: ana })).status).toBe(200);
  await t.settle();
  const skipped = { outcome: "skipped", reason: "known_upload" };
  expect(await rebuild(t, ana)).toEqual([expect.objectContaining(skipped)]);
  await t.sql`insert into pgboss.job (name, data, source_name, start_after)
    select 'dead-letters', data, name, now() + interval '1 day' from pgboss.job where name = 'storage.purge' and state < 'active'`;
  await t.sql`delete from pgboss.job where name = 'storage.purge'`;
  expect(await rebuild(t, ana)).toEqual([expect.objectContaining(skipped)]);
});

test("an index that is being written while a rebuild runs is there once its exam names it", async () => {
  await using t = await createTestApp({ env: { ACK: "store" } });
  const ana = await t.addPerson("Ana", { plan: "clinica" });
  await t.store(ana, sampleZip({ study: "1" }));
  const [kept] = await t.sql`select key, upload_id from stored_objects where kind = 'manifest'`;
  const underWay = Bun.randomUUIDv7();
  await t.sql`insert into uploads (id, account_id, node_id, boot_id, state, started_at)
    select ${underWay}, account_id, node_id, boot_id, 'receiving', now() from uploads where id = ${kept?.upload_id}`;
  const key = `${underWay}/${Bun.randomUUIDv7()}.manifest`;
  const { sizeBytes } = (await t.deps.store.stat(kept?.key)) ?? { sizeBytes: 0 };
  await t.deps.store.putBytes(key, await t.deps.store.read(kept?.key, { offset: 0, length: sizeBytes }));
  expect(await rebuild(t, ana)).toEqual([expect.objectContaining({ outcome: "already there" })]);
  expect(await t.deps.store.stat(key)).toEqual({ sizeBytes });
});
