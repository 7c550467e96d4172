import { afterAll, beforeAll, expect, test } from "bun:test";
import { makeDerivatives } from "../../../src/server/features/derivatives/make-derivatives.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { noisySlices } from "../../support/dicom/noisy-slices.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { until } from "../../support/until.ts";
import { type SampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

/** So long the manifest waits for an index that nobody asks for. */
const GIVEN_UP_MS = 60_000;

/** What viewing asks of a store that is elsewhere, where each access is a wait. */
let s3: FaultyS3Server;
let t: TestApp;
let owner: Person;

beforeAll(async () => {
  s3 = await startFaultyS3Server();
  t = await createTestApp({ env: { ...s3Environment(s3.options), DERIVATIVES: "on" } });
  owner = await t.addPerson("Dona Longe", { plan: "familia" });
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});

async function store(...instances: SampleInstance[]): Promise<string> {
  const id = (await t.store(owner, sampleZip(...instances))).studies[0]?.id ?? "";
  await t.settle();
  await makeDerivatives(t.deps, id, new AbortController().signal);
  return id;
}

const scout = (study: string): SampleInstance => ({ study, series: "2" });

async function keysOf(id: string): Promise<{ copies: string[]; volumes: string[]; manifests: string[] }> {
  const rows = await t.sql`
    select key, 'copies' as what from derivatives where study_id = ${id} and key is not null union all
    select key, kind || 's' from stored_objects where study_id = ${id}`;
  const named = (what: string) => rows.filter((row) => row.what === what).map(({ key }) => `${key}`);
  return { copies: named("copies"), volumes: named("volumes"), manifests: named("manifests") };
}

const isHere = (key: string) => t.deps.cache?.copyPath(key) !== undefined;
const readsOf = (keys: readonly string[]) =>
  s3.seen.filter(({ method, key }) => method === "GET" && keys.includes(key)).length;

async function view(id: string): Promise<void> {
  const data = Buffer.from(JSON.stringify([{ userId: owner.id, id }])).toString("base64url");
  expect((await t.call("GET", `/generate-token?data=${data}`, { as: owner })).status).toBe(200);
}

/** Resolves once what was asked for before has come. */
async function afterOther(id: string): Promise<void> {
  const { volumes } = await keysOf(id);
  await view(id);
  await until(() => volumes.every(isHere));
}

test("a viewer's copy of a series comes to this machine, and not the volume that hardly anything is read of", async () => {
  const id = await store(...noisySlices("1"), scout("1"));
  const { copies, volumes } = await keysOf(id);
  expect([copies.length, volumes.length]).toEqual([1, 1]);
  s3.seen.length = 0;
  await view(id);
  await until(() => copies.every(isHere));
  await afterOther(await store({ study: "2" }));
  expect([volumes.some(isHere), readsOf(volumes)]).toEqual([false, 0]);
});

test("the volume comes if its series have no copy", async () => {
  const id = await store(...noisySlices("3"));
  const { copies, volumes } = await keysOf(id);
  await t.sql`update derivatives set key = null, size_bytes = null, index_offset = null, index_sha256 = null
    where study_id = ${id}`;
  await view(id);
  await until(() => volumes.every(isHere));
  expect([copies.length, copies.some(isHere)]).toEqual([1, false]);
});

test("a visitor's first image brings the copy too", async () => {
  const id = await store(...noisySlices("4"));
  const { copies } = await keysOf(id);
  const link = await t.call("POST", "/api/links", { as: owner, json: { studyIds: [id] } });
  const { url } = (await link.json()) as { url: string };
  const { pathname, hash } = new URL(url);
  const json = { link: pathname.split("/").at(-1), secret: hash.slice(1) };
  const { token } = (await (await t.call("POST", "/api/visits", { json })).json()) as { token: string };
  expect(copies.some(isHere)).toBe(false);
  expect((await t.call("GET", `/api/visits/${token}/studies/${id}/first-image/frame`)).status).toBe(200);
  await until(() => copies.every(isHere));
});

test("a first image that nobody read before takes one access to the manifest, and the copy's index comes meanwhile", async () => {
  const id = await store(...noisySlices("5"));
  const { copies, manifests } = await keysOf(id);
  await using other = await t.startAgain();
  const ask = (part: string, accept: string) =>
    other.app.request(`/api/studies/${id}/first-image/${part}`, {
      headers: { accept, authorization: `Bearer ${owner.token}` },
    });
  s3.seen.length = 0;
  const { promise: indexIsAsked, resolve: seeIndex } = Promise.withResolvers<boolean>();
  let cameMeanwhile = false;
  s3.pause = async ({ method, key }) => {
    if (method === "GET" && copies.includes(key)) seeIndex(true);
    if (method === "GET" && manifests.includes(key))
      cameMeanwhile ||= await Promise.race([indexIsAsked, Bun.sleep(GIVEN_UP_MS).then(() => false)]);
  };
  const answers = await Promise.all([
    ask("metadata", "application/dicom+json"),
    ask("frame", "image/jphc; transfer-syntax=1.2.840.10008.1.2.4.202"),
  ]);
  s3.pause = async () => {};
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  for (const answer of answers) expect((await answer.bytes()).length).toBeGreaterThan(100);
  expect(cameMeanwhile).toBe(true);
  // The index of the copy and its frame.
  expect([readsOf(manifests), readsOf(copies)]).toEqual([1, 2]);
});
