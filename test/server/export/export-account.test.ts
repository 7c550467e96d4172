import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { strFromU8, unzipSync, zipSync } from "fflate";
import type { Db } from "../../../src/server/db/client.ts";
import { DatabaseUnavailable } from "../../../src/server/db/database.errors.ts";
import { accountPageOf } from "../../../src/server/features/export/account-page.ts";
import { uncountedIfBroken } from "../../../src/server/features/export/export-ticket.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import { ACTIVITY_PER_PAGE, type Activity } from "../../../src/shared/api/activity.ts";
import type { ExportTicket } from "../../../src/shared/api/users.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { leavesOf, recordsOf } from "../../support/dicom/dicomdir-records.ts";
import { noisySlices } from "../../support/dicom/noisy-slices.ts";
import { ORTHANC, startOrthanc } from "../../support/dicom/orthanc.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sha256 } from "../../support/program/stored-bytes.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const DAY = 24 * 3600_000;

let t: TestApp;
let person: Person;

beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Conceição Ação", { plan: "clinica" });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

async function exportOf(who: Person): Promise<Record<string, Uint8Array>> {
  const ticket = await t.call("POST", "/api/users/export-ticket", { as: who });
  expect(ticket.status).toBe(201);
  const { url, fileName } = (await ticket.json()) as ExportTicket;
  const answer = await t.call("GET", url);
  expect(answer.status).toBe(200);
  // The name that the person is told.
  expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${fileName}"`);
  return unzipSync(new Uint8Array(await answer.arrayBuffer()));
}

async function uploadPdf(path: string, fields: Record<string, string>, name: string): Promise<void> {
  const form = await formBody(fields, { name, bytes: samplePdf() });
  const answer = await t.call("POST", path, { as: person, ...form });
  expect(answer.status).toBeLessThan(300);
}

test("an account's export is one ZIP with everything it keeps: images bit for bit, PDFs and their data", async () => {
  const first = sampleZip({ study: "80" }, { study: "80", sop: "2" }, { study: "81" });
  const { studies } = await t.store(person, first);
  await t.store(person, sampleZip({ study: "80", sop: "3" }));
  const studyId = studies[0]?.id ?? "";
  const uid = studies[0]?.studyInstanceUID ?? "";
  await uploadPdf("/api/studies/laudo/upload", { studyInstanceUID: uid }, "laudo");
  await uploadPdf("/api/exams-lab/upload", { examName: "Hemograma", modality: "LAB" }, "file");
  const receipt = await (await t.call("GET", `/api/studies/${studyId}/receipt`, { as: person })).text();
  const other = await t.addPerson("Outra Pessoa");
  await t.store(other, sampleZip({ study: "82" }));

  const files = await exportOf(person);
  const sent = Object.values(unzipSync(first)).map((bytes) => Buffer.from(bytes).toString("base64"));
  const images = Object.entries(files).filter(([name]) => name.startsWith("DICOM/"));
  // The laudo is among them, as an instance of its study.
  expect(images).toHaveLength(4 + 1);
  const kept = images.map(([, bytes]) => Buffer.from(bytes).toString("base64"));
  for (const bytes of sent) expect(kept).toContain(bytes);
  const exams = JSON.parse(strFromU8(files["exams.json"] ?? new Uint8Array()));
  expect(exams.studies.map((study: { id: string }) => study.id).sort()).toEqual(
    studies.map(({ id }) => id).sort(),
  );
  const described = exams.studies.find((study: { id: string }) => study.id === studyId);
  expect(described.folders).toHaveLength(1);
  for (const folder of described.folders) expect(images.some(([name]) => name.startsWith(folder))).toBe(true);
  // Nobody asked for the other's receipt before.
  const unasked = exams.studies.find((study: { id: string }) => study.id !== studyId);
  expect(unasked.receipts).toHaveLength(1);
  const { receipt: made } = JSON.parse(strFromU8(files[unasked.receipts[0]] ?? new Uint8Array()));
  expect(made).toMatchObject({ studyInstanceUID: unasked.studyInstanceUID, instances: { length: 1 } });
  expect(files[described.report]).toEqual(Uint8Array.from(samplePdf()));
  expect(described.receipts.map((file: string) => strFromU8(files[file] ?? new Uint8Array()))).toEqual([
    receipt,
  ]);
  expect(files[exams.laboratory[0].file]).toEqual(Uint8Array.from(samplePdf()));
  const account = JSON.parse(strFromU8(files["account.json"] ?? new Uint8Array()));
  expect(account.user).toMatchObject({ name: "Conceição Ação", email: person.email });
  expect(strFromU8(files["audit.json"] ?? new Uint8Array())).toContain("study.uploaded");
  expect(strFromU8(files["README.txt"] ?? new Uint8Array())).toContain("Exameteca");
});

/** Exams of three patients, one of them with two exams, and one with a laudo. */
async function fillFileSet(who: Person): Promise<Map<string, string>> {
  const sent = new Map<string, string>();
  for (const [study, patient] of [
    ["70", "Conceição^João"],
    ["71", "Łukasz^Ana"],
    ["72", "Conceição^João"],
    ["73", "Silva^Ana"],
  ] as const) {
    const elements = {
      [TagHex.SpecificCharacterSet]: { vr: "CS", Value: ["ISO_IR 192"] },
      [TagHex.PatientName]: { vr: "PN", Value: [patient] },
      [TagHex.PatientID]: { vr: "LO", Value: [sha256(Buffer.from(patient)).slice(0, 8)] },
    };
    const instances = ["1", "2", "3"].map((sop) => sampleInstance({ study, sop, elements }));
    await t.store(who, zipSync(Object.fromEntries(instances.map((bytes, at) => [`IM${at}`, bytes]))));
    for (const bytes of instances) sent.set(sha256(bytes), patient);
  }
  const form = await formBody({ studyInstanceUID: "2.25.1.71" }, { name: "laudo", bytes: samplePdf() });
  expect((await t.call("POST", "/api/studies/laudo/upload", { as: who, ...form })).status).toBe(201);
  return sent;
}

test("an account's export is one DICOM file-set, which other software imports whole, with Portuguese names intact", async () => {
  const keeper = await t.addPerson("Quem Leva Tudo", { plan: "clinica" });
  const sent = await fillFileSet(keeper);
  const files = await exportOf(keeper);
  const patients = recordsOf(files.DICOMDIR ?? new Uint8Array());
  expect(patients.map(({ text }) => text[0]).sort()).toEqual(["Conceição^João", "Silva^Ana", "Łukasz^Ana"]);
  for (const patient of patients) {
    for (const { file, type } of leavesOf([patient])) {
      expect(file.split("/").every((part) => /^[A-Z0-9_]{1,8}$/.test(part))).toBe(true);
      if (type === "ENCAP DOC") continue;
      const hash = sha256(files[file] ?? new Uint8Array());
      expect(sent.get(hash)).toBe(patient.text[0] ?? "");
      sent.delete(hash);
    }
  }
  expect(sent.size).toBe(0);
  const listed = leavesOf(patients).map(({ file }) => file);
  expect(listed.toSorted()).toEqual(
    Object.keys(files)
      .filter((name) => name.startsWith("DICOM/"))
      .sort(),
  );
  const page = strFromU8(files["INDEX.HTM"] ?? new Uint8Array());
  expect(page).toContain("João Conceição");
  expect(page).not.toMatch(/https?:/);
  await importEverywhere(files, listed.length);
}, 240_000);

test("an export's page counts the images of an exam without the documents among them", async () => {
  const series = [
    { modality: "CT", instanceCount: 2 },
    { modality: "SR", instanceCount: 1 },
  ];
  const exam = {
    ...{
      patientName: "Ana",
      description: "TC",
      studyDate: null,
      modality: "CT\\SR",
      instanceCount: 3,
      series,
    },
    ...{ folders: ["DICOM/E0000001/"], report: null, receipts: [] },
  };
  const lists = { studies: [exam], laboratory: [] };
  const page = await accountPageOf(lists, { locale: "pt-BR", discPage: new Uint8Array() });
  const html = Buffer.concat(page).toString();
  expect(html).toContain("2 imagens em DICOM/E0000001/");
  expect(html).toContain("<dt><b>TC</b> · Ana · CT\\SR</dt>");
  // The page itself shows the images; other programs do too.
  expect(html).toContain(
    "<p>Qualquer outro visualizador DICOM também abre esta pasta, pelo arquivo DICOMDIR.<br>Any other",
  );
});

test("an export's page writes days as the product's pages do, in each language", async () => {
  const lists = {
    studies: [],
    laboratory: [{ laudoDescription: "Hemograma", examDate: "2026-03-04", file: null }],
  };
  for (const [locale, day] of [
    ["pt-BR", "04-03-2026"],
    ["en-US", "04-Mar-2026"],
  ] as const) {
    const page = await accountPageOf(lists, { locale, discPage: new Uint8Array() });
    expect(Buffer.concat(page).toString()).toContain(`>${day}</time>`);
  }
});

/** Reads the file-set with the tools of others, those that are installed. */
async function importEverywhere(files: Record<string, Uint8Array>, instanceCount: number): Promise<void> {
  await using folder = createTempFolder();
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    await Bun.write(join(folder.path, name), bytes);
  }
  const run = (command: string, ...args: string[]) => {
    if (!Bun.which(command)) return "";
    const { stderr, stdout } = Bun.spawnSync([command, ...args], { cwd: folder.path });
    return `${stdout}${stderr}`;
  };
  expect(run("dcmftest", "DICOMDIR")).not.toContain("no:");
  expect(run("dciodvfy", "DICOMDIR")).not.toContain("Error");
  expect(run("dcmdump", "DICOMDIR")).not.toMatch(/^[EW]: /m);
  if (!ORTHANC) return;
  await using server = await startOrthanc(ORTHANC);
  await server.call("/instances", zipSync(files, { level: 0 }));
  expect(await server.call("/statistics")).toMatchObject({
    CountInstances: instanceCount,
    CountPatients: 3,
    CountStudies: 4,
  });
}

test("an export works after the subscription is over or the month used up, and is not counted as an action", async () => {
  await t.sql`update subscriptions set expires_at = now() - interval '1 day', downloads = 2000
    where user_id = ${person.id}`;
  expect(Object.keys(await exportOf(person)).length).toBeGreaterThan(4);
  const [row] = await t.sql`select downloads from subscriptions where user_id = ${person.id}`;
  expect(row?.downloads).toBe(2000);
});

test("an export ticket ends after five minutes or with its session, and only five are made a day", async () => {
  const { token } = (await (
    await t.call("POST", "/api/auth/login", { json: { email: person.email, password: person.password } })
  ).json()) as { token: string };
  const ticket = await t.call("POST", "/api/users/export-ticket", { as: { ...person, token } });
  const { url } = (await ticket.json()) as ExportTicket;
  await t.call("POST", "/api/auth/logout", { as: { ...person, token }, json: {} });
  expect((await t.call("GET", url)).status).toBe(401);
  const late = (await (
    await t.call("POST", "/api/users/export-ticket", { as: person })
  ).json()) as ExportTicket;
  t.advance(6 * 60_000);
  expect((await t.call("GET", late.url)).status).toBe(401);
  await t.call("POST", "/api/users/export-ticket", { as: person });
  const refused = await t.call("POST", "/api/users/export-ticket", { as: person });
  expect(refused.status).toBe(429);
  t.advance(DAY);
});

test("an interrupted export can be fetched again, a bounded number of times", async () => {
  const keen = await t.addPerson("Baixa Sem Parar");
  const ticket = await t.call("POST", "/api/users/export-ticket", { as: keen });
  const { url } = (await ticket.json()) as ExportTicket;
  const statuses: number[] = [];
  for (let times = 0; times < 11; times++) {
    // Which is none.
    expect((await t.call("HEAD", url)).status).toBe(200);
    const answer = await t.call("GET", url);
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200));
  expect(statuses.at(-1)).toBe(429);
});

test("only so many exports are sent at once; the others are told when to come again, and lose no fetch by it", async () => {
  const people = await Promise.all([1, 2, 3].map((n) => t.addPerson(`Exporta ${n}`)));
  const urls: string[] = [];
  for (const as of people) {
    const ticket = await t.call("POST", "/api/users/export-ticket", { as });
    urls.push(((await ticket.json()) as ExportTicket).url);
  }
  const [first = "", second = "", third = ""] = urls;
  const sent = [];
  for (const url of [first, first, second, second]) sent.push(await t.call("GET", url));
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const refused of [
    await t.call("GET", third),
    await t.call("POST", "/api/users/export-ticket", { as: people[2] }),
  ]) {
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("60");
    expect((await problemOf(refused)).code).toBe("reading.busy");
  }
  await sent[0]?.body?.cancel();
  await t.call("HEAD", third);
  const answer = await t.call("GET", third);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  for (const left of sent.slice(1)) await left.arrayBuffer();
});

describe("an export whose store fails", () => {
  let server: FaultyS3Server;
  let s3: TestApp;
  let owner: Person;
  beforeAll(async () => {
    server = await startFaultyS3Server();
    const log = createLogger({ level: "error", write: () => {} });
    const store = createS3Store(server.options);
    s3 = await createTestApp({ env: { SCRUB_DAYS: "0" }, overrides: { store, log } });
    owner = await s3.addPerson("Guarda Longe", { plan: "clinica" });
    await s3.store(owner, sampleZip({ study: "95" }));
    await s3.settle();
  }, 240_000);
  afterAll(async () => {
    await s3[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const ticketOf = () => s3.call("POST", "/api/users/export-ticket", { as: owner });

  test("half-way breaks off as often as it is begun, and is whole once the store is back", async () => {
    server.fault = ({ method, key }) =>
      method === "GET" && key ? { status: 403, code: "AccessDenied" } : undefined;
    for (let times = 0; times < 11; times++) {
      const ticket = await ticketOf();
      expect([times, ticket.status]).toEqual([times, 201]);
      const answer = await s3.call("GET", ((await ticket.json()) as ExportTicket).url);
      expect(answer.status).toBe(200);
      await expect(answer.arrayBuffer()).rejects.toThrow();
    }
    server.fault = () => undefined;
    const answer = await s3.call("GET", ((await (await ticketOf()).json()) as ExportTicket).url);
    const names = Object.keys(unzipSync(new Uint8Array(await answer.arrayBuffer())));
    expect(names).toContain("DICOM/E0000001/SER00001/IMG00001");
    expect(names).not.toContain("damaged.json");
  });

  test("counts once it broke off twenty times in a day, since the reason may be in the account itself", async () => {
    await s3.sql`update throttles set failures = 20 where name = 'export:broken'`;
    server.fault = ({ method, key }) =>
      method === "GET" && key ? { status: 403, code: "AccessDenied" } : undefined;
    const statuses: number[] = [];
    for (let times = 0; times < 6; times++) {
      const ticket = await ticketOf();
      statuses.push(ticket.status);
      if (ticket.status !== 201) break;
      const answer = await s3.call("GET", ((await ticket.json()) as ExportTicket).url);
      await expect(answer.arrayBuffer()).rejects.toThrow();
    }
    server.fault = () => undefined;
    expect(statuses.at(-1)).toBe(429);
    await s3.sql`delete from throttles`;
  });

  test("before it begins is refused while the person can still be told", async () => {
    server.fault = () => ({ status: 503, code: "SlowDown" });
    const refused = await ticketOf();
    server.fault = () => undefined;
    expect([refused.status, (await problemOf(refused)).code]).toEqual([503, "store.unavailable"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await ticketOf()).status).toBe(201);
  });
});

test("an export is refused while the database has no room for a receipt that it would make, and is no fetch", async () => {
  const database = new URL(t.deps.config.databaseUrl ?? "");
  // In kilobytes, of temporary files: they stand for the disk here.
  database.searchParams.set("temp_file_limit", "64");
  await using full = await createTestApp({ env: { DATABASE_URL: database.href }, jobs: false });
  const owner = await t.addPerson("Disco Cheio", { plan: "clinica" });
  await t.store(owner, sampleZip({ study: "98" }));
  await t.sql`delete from throttles where name like 'export:%'`;
  const ticket = (app: TestApp) => app.call("POST", "/api/users/export-ticket", { as: owner });
  const { url } = (await (await ticket(t)).json()) as ExportTicket;
  for (const refused of [await ticket(full), await full.call("GET", url)])
    expect([refused.status, (await problemOf(refused)).code]).toEqual([503, "database.unavailable"]);
  expect(await t.sql`select name, failures from throttles where name like 'export:%'`).toMatchObject([
    { name: "export:account", failures: 1 },
  ]);
  expect(Object.keys(unzipSync(await (await t.call("GET", url)).bytes()))).toContain("DICOMDIR");
});

test("an export that breaks off because the database is away is uncounted once it is back", async () => {
  const owner = await t.addPerson("Sem Banco", { plan: "clinica" });
  await t.sql`delete from throttles where name like 'export:%'`;
  expect((await t.call("POST", "/api/users/export-ticket", { as: owner })).status).toBe(201);
  const counted = async () => {
    const rows = await t.sql`select failures from throttles where name = 'export:account'`;
    return rows.map(({ failures }) => failures);
  };
  expect(await counted()).toEqual([1]);
  let isAway = true;
  const transaction: Db["transaction"] = async (work) => {
    if (isAway) throw new DatabaseUnavailable("it does not answer");
    return await t.deps.db.transaction(work);
  };
  const db: Db = Object.assign(Object.create(t.deps.db), { transaction });
  const log = createLogger({ level: "error", write: () => {} });
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1);
    throw new DatabaseUnavailable("it does not answer");
  }
  const sent = uncountedIfBroken({ ...t.deps, db, log }, owner.id, broken(), [10, 100, 100, 1_000]);
  await expect(Array.fromAsync(sent)).rejects.toThrow(DatabaseUnavailable);
  expect(await counted()).toEqual([1]);
  isAway = false;
  await until(async () => (await counted())[0] === 0);
});

test("an export that broke off is uncounted once, though the answer to that was lost", async () => {
  const owner = await t.addPerson("Resposta Perdida", { plan: "clinica" });
  await t.sql`delete from throttles where name like 'export:%'`;
  for (let times = 0; times < 2; times++)
    expect((await t.call("POST", "/api/users/export-ticket", { as: owner })).status).toBe(201);
  let tried = 0;
  const transaction: Db["transaction"] = async (work) => {
    const isFirst = tried === 0;
    const result = await t.deps.db.transaction(work).finally(() => tried++);
    if (isFirst) throw new DatabaseUnavailable("the answer was lost");
    return result;
  };
  const db: Db = Object.assign(Object.create(t.deps.db), { transaction });
  const log = createLogger({ level: "error", write: () => {} });
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1);
    throw new Error("it broke off");
  }
  const sent = uncountedIfBroken({ ...t.deps, db, log }, owner.id, broken(), [1]);
  await expect(Array.fromAsync(sent)).rejects.toThrow("it broke off");
  await until(() => tried === 2);
  const rows = await t.sql`select failures from throttles where name in ('export:account', 'export:broken')`;
  expect(rows.map(({ failures }) => failures)).toEqual([1, 1]);
});

test("an export goes on without the exam that its owner deletes while it is sent, and tells of it", async () => {
  const owner = await t.addPerson("Apaga No Meio", { plan: "clinica" });
  const { studies } = await t.store(owner, sampleZip(...noisySlices("90", 3)));
  await t.store(owner, sampleZip(...noisySlices("91", 3)));
  const ticket = await t.call("POST", "/api/users/export-ticket", { as: owner });
  const reader = (await t.call("GET", ((await ticket.json()) as ExportTicket).url)).body?.getReader();
  const pieces: Uint8Array[] = [];
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done || !value) break;
    pieces.push(value);
    if (!Buffer.from(value).includes("IMG00001")) continue;
    await t.call("DELETE", `/api/studies/${studies[0]?.id}`, { as: owner });
    await t.settle();
  }
  const files = unzipSync(Uint8Array.from(Buffer.concat(pieces)));
  const left = JSON.parse(strFromU8(files["damaged.json"] ?? new Uint8Array()));
  expect(left).toMatchObject([{ study: studies[0]?.id, found: "deleted" }]);
  expect(Object.keys(files).filter((name) => /IMG\d+$/.test(name)).length).toBeGreaterThanOrEqual(3);
  expect([...(await t.sql`select 1 from integrity_findings`)]).toEqual([]);
});

test("an export names no exam that its owner deletes before its turn", async () => {
  const owner = await t.addPerson("Apaga Antes", { plan: "clinica" });
  await t.store(owner, sampleZip(...noisySlices("92", 3)));
  const { studies } = await t.store(owner, sampleZip(...noisySlices("93", 3)));
  const ticket = await t.call("POST", "/api/users/export-ticket", { as: owner });
  const reader = (await t.call("GET", ((await ticket.json()) as ExportTicket).url)).body?.getReader();
  const pieces: Uint8Array[] = [];
  for (let isDeleted = false; ; ) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done || !value) break;
    pieces.push(value);
    if (isDeleted || !Buffer.from(value).includes("DICOM/E0000001")) continue;
    const deleted = await t.call("DELETE", `/api/studies/${studies[0]?.id}`, { as: owner });
    expect(deleted.status).toBe(200);
    isDeleted = true;
    await t.settle();
  }
  const files = unzipSync(Uint8Array.from(Buffer.concat(pieces)));
  const { studies: listed } = JSON.parse(strFromU8(files["exams.json"] ?? new Uint8Array()));
  expect(listed).toMatchObject([{ studyInstanceUID: studyUID("92"), folders: ["DICOM/E0000001/"] }]);
  expect(recordsOf(files.DICOMDIR ?? new Uint8Array()).map(({ lower }) => lower.length)).toEqual([1]);
  expect(strFromU8(files["INDEX.HTM"] ?? new Uint8Array())).not.toContain("E0000002");
});

test("a person deletes their account and everything in it with their password, whatever the subscription's state", async () => {
  const leaving = await t.addPerson("De Saída");
  await t.store(leaving, sampleZip({ study: "90" }));
  await t.sql`update subscriptions set expires_at = now() - interval '1 day' where user_id = ${leaving.id}`;
  const wrong = await t.call("POST", "/api/users/delete-own", { as: leaving, json: { password: "errada" } });
  expect(wrong.status).toBe(400);
  expect((await problemOf(wrong)).code).toBe("auth.wrong_current_password");
  const done = await t.call("POST", "/api/users/delete-own", {
    as: leaving,
    json: { password: leaving.password },
  });
  expect(done.status).toBe(200);
  expect((await t.call("GET", "/api/auth/me", { as: leaving })).status).toBe(401);
  await t.settle();
  const [left] = await t.sql`select count(*)::int as studies from studies where account_id = ${leaving.id}`;
  expect(left?.studies).toBe(0);
});

test("the last admin can't delete their own account", async () => {
  await t.sql`delete from users where role = 'admin'`;
  const admin = await t.addPerson("Derradeira", { role: "admin", plan: null });
  const answer = await t.call("POST", "/api/users/delete-own", {
    as: admin,
    json: { password: admin.password },
  });
  expect(answer.status).toBe(409);
});

test("an export has all rows of lists that are read in pages", async () => {
  const busy = await t.addPerson("Laboratório Cheio", { plan: "clinica" });
  const [ROWS, LABS] = [10_001, 101];
  await t.sql`insert into usage_events (user_id, action_type, study_instance_uid, timestamp)
    select ${busy.id}, 'upload', '2.25.' || n, now() from generate_series(1, ${ROWS}) n`;
  await t.sql`insert into audit_events (at, action, actor_id, account_id)
    select now(), 'account.exported', ${busy.id}, ${busy.id} from generate_series(1, ${ROWS})`;
  await t.sql`insert into lab_exams (id, account_id, name, modality, key, size_bytes, sha256, created_at)
    select gen_random_uuid(), ${busy.id}, 'Exame ' || n, 'LAB', 'lab/page-' || n, 1, 'none', now()
    from generate_series(1, ${LABS}) n`;
  const files = await exportOf(busy);
  const read = (name: string) => JSON.parse(strFromU8(files[name] ?? new Uint8Array()));
  const usage = [...read("account.json").usage, ...read("usage-2.json")];
  expect(new Set(usage.map((event: { studyInstanceUID: string }) => event.studyInstanceUID)).size).toBe(ROWS);
  expect(Object.keys(usage.at(-1))).toEqual(Object.keys(usage[0]));
  expect(read("audit.json").length + read("audit-2.json").length).toBeGreaterThanOrEqual(ROWS);
  const labs = read("exams.json").laboratory.map(({ id }: { id: string }) => id);
  expect([labs.length, new Set(labs).size]).toEqual([LABS, LABS]);
});

test("the activity of an account is read page by page, and names no exam of another account", async () => {
  const [owner, doctor] = [
    await t.addPerson("Dona Lida"),
    await t.addPerson("Dr. Leitor", { role: "doctor" }),
  ];
  const { studies } = await t.store(owner, sampleZip({ study: "83" }));
  const [study] = studies;
  await t.sql`update studies set description = 'Crânio da Dona' where id = ${study?.id ?? ""}`;
  const grant = { json: { userId: doctor.id }, as: owner };
  expect((await t.call("POST", `/api/studies/${study?.id}/assign`, grant)).status).toBeLessThan(300);
  const uid = { studyInstanceUID: study?.studyInstanceUID ?? "" };
  const form = await formBody(uid, { name: "laudo", bytes: samplePdf() });
  expect((await t.call("POST", "/api/studies/laudo/upload", { as: doctor, ...form })).status).toBe(201);

  const read = async (as: Person, query = ""): Promise<Activity> => {
    const answer = await t.call("GET", `/api/users/activity${query}`, { as });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Activity;
  };
  const { events, hasMore } = await read(owner);
  expect(hasMore).toBe(false);
  expect(
    events.filter(({ action }) => action.startsWith("study.") || action === "report.uploaded"),
  ).toMatchObject([
    { action: "report.uploaded", actorName: "Dr. Leitor", isYours: false, exam: "Crânio da Dona" },
    { action: "study.granted", actorName: "Dona Lida", isYours: true, exam: "Crânio da Dona" },
    { action: "study.uploaded", actorName: "Dona Lida", isYours: true, exam: "Crânio da Dona" },
  ]);
  const theirs = (await read(doctor)).events.find(({ action }) => action === "report.uploaded");
  expect(theirs).toMatchObject({ actorName: "Dr. Leitor", isYours: true, exam: null });

  await t.sql`insert into audit_events (at, action, actor_id, account_id)
    select now(), 'account.exported', ${owner.id}, ${owner.id} from generate_series(1, ${ACTIVITY_PER_PAGE})`;
  const first = await read(owner);
  const last = first.events.at(-1)?.id ?? 0;
  expect([first.events.length, first.hasMore]).toEqual([ACTIVITY_PER_PAGE, true]);
  const second = await read(owner, `?before=${last}`);
  expect([second.events, second.hasMore]).toEqual([events, false]);
  for (const query of ["?before=0", "?before=1e400", "?before=ontem"])
    expect((await t.call("GET", `/api/users/activity${query}`, { as: owner })).status).toBe(400);
});
