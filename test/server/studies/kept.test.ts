import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sampleZip, studyUID } from "../../support/sample-zip.ts";
import { createTestApp, type Person, type TestApp } from "../../support/test-app.ts";

const KEPT = "/api/studies/kept";

let t: TestApp;
let owner: Person;
let other: Person;
let studyId: string;

beforeAll(async () => {
  t = await createTestApp({ jobs: false });
  owner = await t.addPerson("Ana Dona");
  other = await t.addPerson("Beto Outro");
  const answer = await t.upload(owner, sampleZip({ study: "41" }, { study: "41", sop: "2" }));
  studyId = ((await answer.json()) as { studies: { id: string }[] }).studies[0]?.id ?? "";
});
afterAll(() => t[Symbol.asyncDispose]());

const ask = (as: Person | undefined, studyInstanceUIDs: unknown) =>
  t.call("POST", KEPT, { as, json: { studyInstanceUIDs } });

describe("before an upload, a person learns which exams they keep", () => {
  test("with the number of images", async () => {
    const answer = await ask(owner, [studyUID("41"), studyUID("42")]);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual([
      { id: studyId, studyInstanceUID: studyUID("41"), imagesReceived: 2, createdAt: expect.any(String) },
    ]);
  });

  test("and nothing of anybody else's, not even of those shared with them, nor as an admin", async () => {
    await t.call("POST", `/api/studies/${studyId}/assign`, { as: owner, json: { userId: other.id } });
    const admin = await t.addPerson("Clara Admin", { role: "admin" });
    for (const person of [other, admin]) {
      expect(await (await ask(person, [studyUID("41")])).json()).toEqual([]);
    }
  });

  test("only with a session and a subscription, and for at most 200 well-formed UIDs", async () => {
    const none = await t.addPerson("Davi Sem", { plan: null });
    expect((await ask(undefined, ["1.2"])).status).toBe(401);
    expect((await ask(none, ["1.2"])).status).toBe(403);
    const tooMany = Array.from({ length: 201 }, (_, n) => `1.2.${n}`);
    for (const uids of [[], tooMany, ["x"], [`1.${"2".repeat(64)}`], "1.2"]) {
      expect((await ask(owner, uids)).status).toBe(400);
    }
  });
});
