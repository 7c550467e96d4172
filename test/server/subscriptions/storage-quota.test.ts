import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sweepOwnUploads } from "../../../src/server/holdings/sweeping/sweep-uploads.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { OfferedPlan, UsageStats } from "../../../src/shared/api/subscriptions.ts";
import { GIB } from "../../../src/shared/units.ts";
import {
  countedBytes,
  keptBytes,
  limitStorage,
  setStoredBytes,
  sizeOfStudy,
} from "../../support/app/storage-quota.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import {
  bytesOnceSettled,
  compareBytes,
  filesBelow,
  NO_DISAGREEMENTS,
} from "../../support/program/stored-bytes.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";
import {
  addLabExam,
  askToCancel,
  attachReport,
  fillAccount,
  sendLabExam,
} from "../removals/filled-account.ts";

let t: TestApp;
let admin: Person;
/** The approximate size in bytes of a study of one small instance. */
let studyBytes: number;
beforeAll(async () => {
  t = await createTestApp({
    env: { PIX_KEY: "chave@exemplo.com.br", PIX_MERCHANT_NAME: "Exames", PIX_MERCHANT_CITY: "Recife" },
  });
  admin = await t.addPerson("Administra Tudo", { role: "admin", plan: null });
  studyBytes = await sizeOfStudy(t);
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const usageOf = async (as: Person) =>
  (await (await t.call("GET", "/api/subscriptions/usage-stats", { as })).json()) as UsageStats;
const studiesOf = async (as: Person) =>
  (await (await t.call("GET", "/api/studies", { as })).json()) as Study[];

/** The two sums, which must always be equal. */
async function expectTrue(accountId: string): Promise<number> {
  const kept = await keptBytes(t, accountId);
  expect(await countedBytes(t, accountId)).toBe(kept);
  return kept;
}

async function expectNothingLeftOver(): Promise<void> {
  const { dataDir } = t.deps.config;
  // A transfer removes its staged copies last; what can't be removed at once waits for the sweep.
  await t.settle();
  await sweepOwnUploads(t.deps);
  // Only files are looked for: these tests count bytes that nobody keeps.
  const found = await bytesOnceSettled(async () => {
    const { filesWithoutRow } = await compareBytes(t.sql, dataDir, keysWithoutLabs());
    const staged = (await readdir(join(dataDir, "staging"))).filter((name) => !name.startsWith("~"));
    return { ...NO_DISAGREEMENTS, filesWithoutRow: [...filesWithoutRow, ...staged] };
  });
  expect(found.filesWithoutRow).toEqual([]);
}
/** Lab exams have rows elsewhere. */
function keysWithoutLabs(): string[] {
  return [...filesBelow(join(t.deps.config.dataDir, "objects"))].filter((key) => !key.endsWith(".pdf"));
}

describe("what an account keeps at rest", () => {
  test("is counted to the byte after every operation on it", async () => {
    const { owner, studyIds, labId } = await fillAccount(t, "Faz de Tudo");
    const [reported = "", other = ""] = studyIds;
    const full = await expectTrue(owner.id);
    expect(full).toBeGreaterThan(2 * studyBytes);

    await t.call("DELETE", `/api/studies/laudo/${reported}`, { as: owner });
    expect(await expectTrue(owner.id)).toBe(full - samplePdf("laudo").length);
    await attachReport(t, owner, reported);
    await t.call("DELETE", `/api/exams-lab/${labId}`, { as: owner });
    expect(await expectTrue(owner.id)).toBe(full - samplePdf("hemograma").length);
    await addLabExam(t, owner);
    expect(await expectTrue(owner.id)).toBe(full);

    await t.store(owner, sampleZip({ study: "700" }, { study: "700", sop: "2" }));
    const withThird = await expectTrue(owner.id);
    await t.store(owner, sampleZip({ study: "700", sop: "2" }, { study: "700", sop: "3" }));
    expect(await expectTrue(owner.id)).toBeGreaterThan(withThird);
    await t.call("DELETE", `/api/studies/${other}`, { as: owner });
    const before = await expectTrue(owner.id);

    expect((await askToCancel(t, owner)).status).toBe(200);
    expect(await expectTrue(owner.id)).toBe(0);
    const [removal] = (await (await t.call("GET", "/api/subscriptions/removals", { as: admin })).json()) as {
      id: string;
    }[];
    expect(
      (await t.call("POST", `/api/subscriptions/removals/${removal?.id}/undo`, { as: admin })).status,
    ).toBe(200);
    expect(await expectTrue(owner.id)).toBe(before);

    expect((await t.call("DELETE", `/api/users/${owner.id}`, { as: admin })).status).toBe(200);
    expect(await expectTrue(owner.id)).toBe(0);
    expect([...(await t.sql`select 1 from storage_tallies where account_id = ${owner.id}`)]).toEqual([]);
  });

  test("is shown beside the plan's limit", async () => {
    const person = await t.addPerson("Olha Uso", { plan: "familia" });
    await t.store(person, sampleZip({ study: "701" }));
    const storageUsedBytes = await keptBytes(t, person.id);
    expect(await usageOf(person)).toMatchObject({
      storageBytes: 100 * GIB,
      storageUsedBytes,
      storageRemainingBytes: 100 * GIB - storageUsedBytes,
      storageUsagePercentage: 0,
    });
    const mine = await t.call("GET", "/api/subscriptions/my-subscription", { as: person });
    expect(await mine.json()).toMatchObject({ storageUsedBytes, plan: { storageBytes: 100 * GIB } });
    const plans = await t.call("GET", "/api/subscriptions/plans", { as: person });
    const sizes = ((await plans.json()) as OfferedPlan[]).map((plan) => [plan.name, plan.storageBytes / GIB]);
    expect(sizes).toEqual([
      ["Essencial", 20],
      ["Família", 100],
      ["Profissional", 400],
      ["Clínica", 2000],
    ]);
  });

  test("is never more than the plan allows: uploads beyond are refused in both languages and leave nothing", async () => {
    const person = await t.addPerson("Passa do Limite");
    await limitStorage(t, person, Math.floor(1.2 * studyBytes));
    await t.store(person, sampleZip({ study: "702" }));
    for (const again of [{ study: "703" }, { study: "702", sop: "2" }]) {
      const answer = await t.upload(person, sampleZip(again));
      expect(answer.status).toBe(403);
      expect(await problemOf(answer)).toMatchObject({
        code: "quota.bytes",
        storageBytes: Math.floor(1.2 * studyBytes),
        storageUsedBytes: await keptBytes(t, person.id),
      });
    }
    await limitStorage(t, person, 1.5 * GIB);
    await setStoredBytes(t, person.id, 1.5 * GIB - 1.2 * studyBytes);
    const form = await formBody(
      {},
      { name: "zipFile", bytes: sampleZip({ study: "703" }), fileName: "a.zip" },
    );
    const headers = { ...form.headers, "accept-language": "pt-BR" };
    const refused = await t.call("POST", "/api/upload-dicom", { as: person, body: form.body, headers });
    expect((await problemOf(refused)).message).toBe(
      "Não há espaço suficiente no seu plano: 1,5 de 1,5 GB estão em uso. Nada foi guardado.",
    );
    expect((await studiesOf(person)).map((study) => study.studyInstanceUID)).toEqual([studyUID("702")]);
    expect((await usageOf(person)).currentExamCount).toBe(1);
    await expectNothingLeftOver();
  });

  test("lets a trial with two of two exams add to them, until its bytes are used up", async () => {
    const person = await t.addPerson("Avalia Sem Fim", { plan: "avaliacao" });
    await t.store(person, sampleZip({ study: "704" }, { study: "705" }));
    expect((await t.upload(person, sampleZip({ study: "704", sop: "2" }))).status).toBe(201);
    const third = await t.upload(person, sampleZip({ study: "706" }));
    expect((await problemOf(third)).code).toBe("quota.trial");
    await setStoredBytes(t, person.id, 2 * GIB - 4 * studyBytes);
    let last = 201;
    for (let sop = 3; sop < 20 && last === 201; sop++) {
      last = (await t.upload(person, sampleZip({ study: "704", sop: `${sop}` }))).status;
    }
    expect(last).toBe(403);
    expect((await usageOf(person)).storageUsedBytes).toBeLessThanOrEqual(2 * GIB);
  });

  test("stays within the plan when twenty uploads come at once, and as many are taken as fit", async () => {
    const person = await t.addPerson("Vinte de Uma Vez");
    const limit = Math.floor(5.5 * studyBytes);
    await limitStorage(t, person, limit);
    const zips = Array.from({ length: 20 }, (_, n) => sampleZip({ study: `${7100 + n}` }));
    const answers: Response[] = [];
    // One account may send twelve at once.
    for (const some of [zips.slice(0, 10), zips.slice(10)]) {
      answers.push(...(await Promise.all(some.map((zip) => t.upload(person, zip)))));
    }
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(5).fill(201),
      ...Array(15).fill(403),
    ]);
    expect(await expectTrue(person.id)).toBeLessThanOrEqual(limit);
    expect((await usageOf(person)).currentExamCount).toBe(5);
    await expectNothingLeftOver();
  });

  test("does not limit an admin", async () => {
    await t.store(admin, sampleZip({ study: "707" }));
    await setStoredBytes(t, admin.id, 9000 * GIB);
    expect((await t.upload(admin, sampleZip({ study: "708" }))).status).toBe(201);
  });
});

describe("a PDF beyond the plan's bytes", () => {
  test("is refused as a lab exam and as a laudo, whoever attaches it, and leaves nothing", async () => {
    const owner = await t.addPerson("Sem Espaço");
    const doctor = await t.addPerson("Doutora Laudadora", { role: "doctor", plan: null });
    const { studies } = await t.store(owner, sampleZip({ study: "720" }));
    const [study] = studies;
    await t.call("POST", `/api/studies/${study?.id}/assign`, { as: owner, json: { userId: doctor.id } });
    await limitStorage(t, owner, await keptBytes(t, owner.id));
    const lab = await sendLabExam(t, owner);
    expect([lab.status, (await problemOf(lab)).code]).toEqual([403, "quota.bytes"]);
    const own = await attachReport(t, owner, study?.id ?? "");
    expect([own.status, (await problemOf(own)).code]).toEqual([403, "quota.bytes"]);
    const hers = await attachReport(t, doctor, study?.id ?? "");
    const told = await problemOf(hers);
    expect([hers.status, told.code]).toEqual([403, "quota.bytes"]);
    expect(told).not.toHaveProperty("storageUsedBytes");
    expect(told.message).toBe(
      "The account of this exam has no storage left in its plan. Nothing was stored.",
    );
    await t.settle();
    const open = await t.sql`select 1 from uploads where state = 'receiving'`;
    expect([...open]).toEqual([]);
    expect([...(await t.sql`select 1 from lab_exams where account_id = ${owner.id}`)]).toEqual([]);
    await limitStorage(t, owner, GIB);
    expect((await attachReport(t, doctor, study?.id ?? "")).status).toBe(201);
    await expectTrue(owner.id);
  });
});

describe("another plan", () => {
  test("that holds less than is kept can't be bought", async () => {
    const person = await t.addPerson("Quer Menor", { plan: "familia" });
    await setStoredBytes(t, person.id, 20.1 * GIB);
    const plans = (await (
      await t.call("GET", "/api/subscriptions/plans", { as: person })
    ).json()) as OfferedPlan[];
    const pay = (name: string) => {
      const planId = plans.find((plan) => plan.name === name)?.id;
      return t.call("POST", "/api/payments/create", { as: person, json: { planId } });
    };
    const refused = await pay("Essencial");
    expect(refused.status).toBe(409);
    expect(await problemOf(refused)).toMatchObject({
      code: "plan.too_small",
      message: "You keep 20.1 GB and this plan holds 20. Choose a larger plan or delete exams first.",
    });
    expect((await pay("Profissional")).status).toBe(201);
  });

  test("gets the bytes that an admin sets", async () => {
    const [plan] = await t.sql<{ id: string }[]>`select id from plans where slug = 'profissional'`;
    const path = `/api/subscriptions/plans/${plan?.id}`;
    const changed = await t.call("PATCH", path, { as: admin, json: { storageBytes: 500 * GIB } });
    expect(await changed.json()).toMatchObject({ storageBytes: 500 * GIB, examLimit: 200 });
    expect((await t.call("PATCH", path, { as: admin, json: { storageBytes: 0 } })).status).toBe(400);
  });
});
