import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { untilLockWaits } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let doctor: Person;

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona do Exame", { plan: "clinica" });
  doctor = await t.addPerson("Doutora", { role: "doctor", plan: null });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

/** What a request answers that comes while a row is deleted that it refers to, but before the deletion is committed. */
async function whileDeleted(
  deleting: "studies" | "users",
  id: string,
  ask: () => Promise<Response>,
): Promise<[number, string]> {
  const { answered } = await t.sql.begin(async (tx) => {
    if (deleting === "studies") await tx`delete from studies where id = ${id}`;
    else await tx`delete from users where id = ${id}`;
    const answered = ask();
    await untilLockWaits(t.sql);
    // In an object: the transaction must not wait for the answer.
    return { answered };
  });
  const answer = await answered;
  return [answer.status, ((await answer.json()) as { code: string }).code];
}

const call = (path: string, json: object) => () => t.call("POST", path, { as: owner, json });

test.each<[string, (id: string) => () => Promise<Response>]>([
  ["shared", (id) => call(`/api/studies/${id}/share`, { email: doctor.email, asksForReport: true })],
  ["assigned", (id) => call(`/api/studies/${id}/assign`, { userId: doctor.id })],
  ["offered", (id) => call(`/api/studies/${id}/invitations`, { email: "doutor@example.org" })],
  ["linked", (id) => call("/api/links", { studyIds: [id] })],
])("a study that is deleted while it is %s is not found", async (_, asking) => {
  const { studies } = await t.store(owner, sampleZip({ study: "1" }));
  const id = studies[0]?.id ?? "";
  expect(await whileDeleted("studies", id, asking(id))).toEqual([404, "study.not_found"]);
});

test("an account that is deleted while it is given a study is not found", async () => {
  const { studies } = await t.store(owner, sampleZip({ study: "2" }));
  const grantee = await t.addPerson("Convidada");
  const assign = call(`/api/studies/${studies[0]?.id}/assign`, { userId: grantee.id });
  expect(await whileDeleted("users", grantee.id, assign)).toEqual([404, "user.not_found"]);
});

test("an account that is deleted while it sets up an authenticator app has no session any more", async () => {
  const leaving = await t.addPerson("Vai Embora");
  const json = { currentPassword: leaving.password };
  const enrol = () => t.call("POST", "/api/auth/totp", { as: leaving, json });
  expect(await whileDeleted("users", leaving.id, enrol)).toEqual([401, "session.required"]);
});
