import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDerivatives } from "../../../src/server/features/derivatives/make-derivatives.ts";
import { createDerivativeReader } from "../../../src/server/holdings/derivatives/read-derivative.ts";
import { type ObjectStore, StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { noisySlices } from "../../support/dicom/noisy-slices.ts";
import { backUp, emptyInstallation, restore, verify } from "../../support/program/installations.ts";
import { filesBelow } from "../../support/program/stored-bytes.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const COPY = "image/jphc; transfer-syntax=1.2.840.10008.1.2.4.202";
const path = `/dicomweb/studies/${studyUID("1")}/series/2.25.2.1.1/instances/2.25.3.1.1.2/frames/1`;
const never = new AbortController().signal;

let s3: FaultyS3Server;
let t: TestApp;
let owner: Person;
let studyId: string;

beforeAll(async () => {
  s3 = await startFaultyS3Server();
  t = await createTestApp({ env: { ...s3Environment(s3.options), DERIVATIVES: "on" } });
  owner = await t.addPerson("Dona Longe", { plan: "familia" });
  const { studies } = await t.store(owner, sampleZip(...noisySlices("1")));
  studyId = studies[0]?.id ?? "";
  await makeDerivatives(t.deps, studyId, never);
});
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});

const headers = { accept: COPY, authorization: "" };
const read = (app: Pick<TestApp, "app"> = t) =>
  app.app.request(path, { headers: { ...headers, authorization: `Bearer ${owner.token}` } });

async function keyOfCopy(): Promise<string> {
  const [row] = await t.sql`select key from derivatives where study_id = ${studyId}`;
  return row?.key;
}

test("another node serves the copy of a series from S3, one range a frame", async () => {
  const key = await keyOfCopy();
  expect(s3.bucket.objects.get(key)?.[0]?.bytes).toBeDefined();
  await using other = await t.startAgain();
  expect((await read(other)).status).toBe(200);
  s3.seen.length = 0;
  const answer = await read(other);
  expect((await answer.bytes()).length).toBeLessThan(70_000);
  // What else a job asks for meanwhile does not count.
  const asked = s3.seen.filter((request) => request.method === "GET" && request.key === key);
  expect(asked.length).toBeLessThanOrEqual(1);
});

test("a damaged local copy of it is dropped, and damage in the store is never shown", async () => {
  const key = await keyOfCopy();
  const right = await (await read()).bytes();
  expect(await t.deps.cache?.warm(key)).toBe(true);
  const folder = join(t.deps.config.dataDir, "cache");
  const spoil = (bytes: Uint8Array) => {
    for (let at = 100; at < bytes.length; at += 1_000) bytes[at] = (bytes[at] ?? 0) ^ 0x55;
    return bytes;
  };
  for (const name of readdirSync(folder).filter((name) => !name.startsWith("partial")))
    writeFileSync(join(folder, name), spoil(readFileSync(join(folder, name))));
  expect(await (await read()).bytes()).toEqual(right);

  await t.deps.cache?.dropCopy(key);
  const stored = s3.bucket.objects.get(key)?.[0]?.bytes;
  spoil(stored ?? new Uint8Array());
  expect((await read()).status).toBe(406);
  await t.settle();
  await makeDerivatives(t.deps, studyId, never);
  expect(await (await read()).bytes()).toEqual(right);
  expect(await keyOfCopy()).not.toBe(key);
});

test("a store that does not answer is no damage: the copy stays", async () => {
  const key = await keyOfCopy();
  const [series] = await t.sql`select manifest_id from series where study_id = ${studyId}`;
  const down = () => Promise.reject(new StoreUnavailable("down"));
  const store: ObjectStore = { ...t.deps.store, read: down, stat: down };
  const find = createDerivativeReader({ ...t.deps, store, cache: undefined }, async () => undefined);
  expect(await find(series?.manifest_id)).toBeUndefined();
  expect(await keyOfCopy()).toBe(key);
});

test("no backup has it; a restored installation is whole without it, and makes it again", async () => {
  await using folder = createTempFolder();
  await backUp(t.deps.config, folder.path);
  expect([...filesBelow(folder.path)].filter((name) => name.endsWith(".htj2k"))).toEqual([]);
  expect(await verify(t.deps.config)).toMatchObject({ findings: [] });
  await using place = await emptyInstallation();
  await restore(place.config, folder.path);
  expect(await verify(place.config)).toMatchObject({ findings: [] });
  await using app = await createTestApp({ env: { ...place.env, DERIVATIVES: "on" }, jobs: false });
  const copies = () =>
    [...filesBelow(join(app.deps.config.dataDir, "objects"))].filter((name) => name.endsWith(".htj2k"));
  expect(copies()).toEqual([]);
  await makeDerivatives(app.deps, studyId, never);
  expect(copies()).toHaveLength(1);
}, 240_000);
