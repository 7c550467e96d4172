import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import type { KeptInstance, KeptInstances } from "../../../src/shared/api/kept-instances.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { type SampleInstance, sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

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

describe("of a study of their own, a person learns which files they keep", () => {
  const askFor = (as: Person | undefined, study: string) =>
    t.call("GET", `/api/studies/${study}/kept-instances`, { as });
  const fileOf = (instance: SampleInstance) => {
    const bytes = sampleInstance(instance);
    return {
      sopInstanceUID: `2.25.3.${instance.study}.1.${instance.sop ?? "1"}`,
      sizeBytes: bytes.length,
      crc32: crc32(bytes),
    };
  };

  test("by UID, size and CRC-32, other bytes under the same UID included", async () => {
    const other = { study: "43", elements: { [TagHex.PatientID]: { vr: "LO", Value: ["other"] } } } as const;
    const sent = [{ study: "43" }, { study: "43", sop: "2" }, other];
    for (const instance of sent) await t.upload(owner, sampleZip(instance));
    const answer = await askFor(owner, studyUID("43"));
    expect(answer.status).toBe(200);
    const { isComplete, instances } = (await answer.json()) as KeptInstances;
    expect(isComplete).toBe(true);
    const known = (files: KeptInstance[]) => files.map((file) => JSON.stringify(file)).sort();
    expect(known(instances)).toEqual(known(sent.map(fileOf)));
  });

  test("and nothing of anybody else's, not even of those shared with them, nor as an admin", async () => {
    const admin = await t.addPerson("Dora Admin", { role: "admin" });
    for (const person of [other, admin, await t.addPerson("Eva Alheia")]) {
      expect((await askFor(person, studyId)).status).toBe(404);
    }
    expect((await askFor(undefined, studyId)).status).toBe(401);
  });

  test("and nothing while nobody knows what of it is damaged, so that all of it is sent again", async () => {
    await t.sql`update studies set integrity = 'damaged' where id = ${studyId}`;
    expect(await (await askFor(owner, studyId)).json()).toMatchObject({ isComplete: false, instances: [] });
    await t.sql`update studies set integrity = 'ok' where id = ${studyId}`;
  });
});
