import { afterAll, beforeAll, expect, test } from "bun:test";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let studyId: string;

beforeAll(async () => {
  t = await createTestApp({ jobs: false });
  owner = await t.addPerson("Em Outro Nó");
  const answer = await t.upload(owner, sampleZip({ sop: "1" }, { sop: "2" }));
  studyId = ((await answer.json()) as UploadAnswer).studies[0]?.id ?? "";
  await t.sql`update stored_objects set staged_on = ${crypto.randomUUID()}`;
});
afterAll(() => t[Symbol.asyncDispose]());

test("bytes that another node stages are a 503 to come again, and no action, whatever asks for them", async () => {
  const study = `/dicomweb/studies/${studyUID("1")}`;
  const series = `${study}/series/2.25.2.1.1`;
  const instance = `${series}/instances/2.25.3.1.1.1`;
  const paths = [
    `/api/studies/${studyId}/download`,
    study,
    `${study}/metadata`,
    `${study}/instances`,
    `${study}/rendered`,
    series,
    `${series}/metadata`,
    instance,
    `${instance}/metadata`,
    `${instance}/frames/1`,
  ];
  for (const path of paths) {
    const answer = await t.call("GET", path, { as: owner, headers: { accept: "*/*" } });
    expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "5"]);
    expect((await problemOf(answer)).code).toBe("store.another_node");
  }
  const [used] = await t.sql`select downloads from subscriptions where user_id = ${owner.id}`;
  expect(used?.downloads).toBe(0);
});
