import { afterAll, beforeAll, expect, test } from "bun:test";
import { purgeQueue } from "../../../src/server/holdings/holding-queues.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { accessesOf } from "../../support/store/accesses-in-a-row.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { type SampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

/** What storing and deleting ask of a store that is elsewhere, where each access is a wait. */
let s3: FaultyS3Server;
let t: TestApp;
let owner: Person;

const SERIES = 24;

beforeAll(async () => {
  s3 = await startFaultyS3Server();
  t = await createTestApp({ env: s3Environment(s3.options) });
  owner = await t.addPerson("Dona Longe", { plan: "familia" });
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});

const manySeries = (study: string): SampleInstance[] =>
  Array.from({ length: SERIES }, (_, place) => ({ study, series: `${place + 1}` }));

async function upload(...instances: SampleInstance[]): Promise<void> {
  expect((await t.upload(owner, sampleZip(...instances))).status).toBe(201);
}

test("an upload is acknowledged after two accesses for each object, a few objects at once", async () => {
  const { count, inARow } = await accessesOf(s3, () => upload(...manySeries("1")));
  expect(count).toBe(2 * (SERIES + 1));
  expect(inARow).toBeLessThan(count / 2);
  await t.settle();
});

test("an instance is added to a study of many series after a few waits for their manifests", async () => {
  await upload(...manySeries("2"));
  await t.settle();
  const { inARow } = await accessesOf(s3, () => upload({ study: "2", series: "1", sop: "2" }));
  expect(inARow).toBeLessThan(SERIES / 2 + 4);
  await t.settle();
});

test("objects are deleted a few at once", async () => {
  await upload(...manySeries("3"));
  await t.settle();
  const keys = (
    await t.sql`
    select o.key from stored_objects o join studies s on s.id = o.study_id
    where s.study_instance_uid = '2.25.1.3'`
  ).map(({ key }) => `${key}`);
  expect(keys).toHaveLength(SERIES + 1);
  const { count, inARow } = await accessesOf(s3, async () => {
    await t.deps.jobs.enqueue(purgeQueue, { keys });
    await t.settle();
  });
  expect(count).toBe(3 * keys.length);
  expect(inARow).toBeLessThan(count / 2);
});
