import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { AuditEntry } from "../../../src/shared/api/study-audit.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const TIMEOUT_MS = 120_000;

let t: TestApp;
let owner: Person;
let path: string;
beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona Helena");
  const { studies } = await t.store(owner, sampleZip({ study: "7001" }));
  path = `/api/studies/${studies[0]?.id}`;
}, TIMEOUT_MS);
afterAll(() => t[Symbol.asyncDispose]());

const rename = (description: string, as = owner) => t.call("PATCH", path, { as, json: { description } });
const read = async () => (await (await t.call("GET", path, { as: owner })).json()) as Study;

test("an owner gives an exam another description, finds it by that, and gets the former one back", async () => {
  const before = await read();
  expect((await rename(" Crânio de controle ")).status).toBe(200);
  const renamed = await read();
  expect(renamed).toEqual({ ...before, studyDescription: "Crânio de controle", isOverridden: true });
  const found = await t.call("GET", "/api/studies?search=cranio", { as: owner });
  expect(((await found.json()) as Study[]).map(({ id }) => id)).toEqual([before.id]);
  const audit = (await (await t.call("GET", `${path}/audit`, { as: owner })).json()) as AuditEntry[];
  expect(audit[0]).toMatchObject({ action: "study.renamed", actorName: "Dona Helena" });
  expect((await rename("")).status).toBe(200);
  expect(await read()).toEqual(before);
});

test("nobody else renames an exam, not even a doctor who sees it or an admin", async () => {
  const doctor = await t.addPerson("Dra. Ana", { role: "doctor", plan: null });
  const admin = await t.addPerson("Rui", { role: "admin", plan: null });
  const stranger = await t.addPerson("Outra Pessoa");
  await t.call("POST", `${path}/share`, { as: owner, json: { email: doctor.email } });
  expect((await rename("x", doctor)).status).toBe(403);
  expect((await rename("x", admin)).status).toBe(403);
  expect((await rename("x", stranger)).status).toBe(404);
  expect((await rename("x".repeat(201))).status).toBe(400);
});
