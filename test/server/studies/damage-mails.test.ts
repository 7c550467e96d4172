import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { mailDamage } from "../../../src/server/features/studies/mail-damage.ts";
import { checkPresence } from "../../../src/server/holdings/checking/check-presence.ts";
import { HOUR_MS } from "../../../src/shared/units.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";
import { sendLabExam } from "../removals/filled-account.ts";

const DAMAGED = 14;
const MAILS_AN_HOUR = 10;

let t: TestApp;
let admin: Person;
let ana: Person;

beforeAll(async () => {
  t = await createTestApp();
  admin = await t.addPerson("Quem Cuida", { role: "admin" });
  ana = await t.addPerson("Ana", { plan: "clinica" });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(() => t.advance(2 * HOUR_MS));

async function mailed(): Promise<number> {
  await t.settle();
  const mails = await readOutbox(t.deps.config.dataDir);
  return mails.filter(({ to, subject }) => to.includes(admin.email) && subject.includes("damaged")).length;
}

test("however many laboratory PDFs are gone, the admin gets ten mails an hour, and their figures say how many", async () => {
  for (let i = 0; i < DAMAGED; i++) expect((await sendLabExam(t, ana)).status).toBe(201);
  await t.settle();
  for (const { key } of await t.sql`select key from lab_exams`)
    rmSync(join(t.deps.config.dataDir, "objects", String(key)));
  await checkPresence(t.deps, new AbortController().signal);
  const operations = await (await t.call("GET", "/api/operations", { as: admin })).json();
  expect(operations).toMatchObject({ labExams: { damaged: 0, missing: DAMAGED }, studies: { missing: 0 } });
  expect(await mailed()).toBe(MAILS_AN_HOUR);
}, 240_000);

test("the admin is mailed of damage also if much of it was found before the first mail, and again in another hour", async () => {
  const before = await mailed();
  const studies = Array.from({ length: DAMAGED }, (_, i) => ({ study: String(i + 1), name: `IM${i}` }));
  const stored = await t.store(ana, sampleZip(...studies));
  await t.sql`update studies set integrity = 'damaged', verified_at = ${t.deps.clock.now().toISOString()}`;
  for (const { id } of stored.studies) await mailDamage(t.deps, { studyId: id, found: "damaged" });
  expect((await mailed()) - before).toBe(MAILS_AN_HOUR);
  t.advance(HOUR_MS + 1);
  await mailDamage(t.deps, { studyId: stored.studies[0]?.id ?? "", found: "damaged" });
  expect((await mailed()) - before).toBe(MAILS_AN_HOUR + 1);
}, 240_000);
