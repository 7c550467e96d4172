import { afterAll, beforeAll, expect, test } from "bun:test";
import { unzipSync } from "fflate";
import { makeDerivatives } from "../../../src/server/features/derivatives/make-derivatives.ts";
import { createSeriesReader } from "../../../src/server/features/dicomweb/catalogue/create-series-reader.ts";
import { manifestPages } from "../../../src/server/features/receipts/receipts.repo.ts";
import type { DownloadTicket } from "../../../src/shared/api/downloads.ts";
import type { ExportTicket } from "../../../src/shared/api/users.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { noisySlices } from "../../support/dicom/noisy-slices.ts";
import { accessesOf, comeTogether } from "../../support/store/accesses-in-a-row.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { until } from "../../support/until.ts";
import { type SampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

/** What reading asks of a store that is elsewhere, where each access is a wait, on a node that has read nothing yet. */
let s3: FaultyS3Server;
let t: TestApp;
let owner: Person;
/** Of many small series. */
let studyId: string;

const SERIES = 12;
const SLICES = 24;
const DICOM = 'multipart/related; type="application/dicom"; transfer-syntax=*';
const BYTES = 'multipart/related; type="application/octet-stream"';
const JSON_TYPE = "application/dicom+json";
const SERIES_OF_FILM = "/dicomweb/studies/2.25.1.2/series/2.25.2.2.1";

beforeAll(async () => {
  s3 = await startFaultyS3Server();
  t = await createTestApp({ env: { ...s3Environment(s3.options), DERIVATIVES: "on" } });
  owner = await t.addPerson("Dona Longe", { plan: "familia" });
  studyId = await store(...Array.from({ length: 2 * SERIES }, (_, place) => small("1", place)));
  const filmId = await store(...noisySlices("2", SLICES));
  await makeDerivatives(t.deps, filmId, new AbortController().signal);
  for (let place = 0; place < SERIES; place++) await store(small("3", place));
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});

const small = (study: string, place: number): SampleInstance => ({
  study,
  series: `${(place % SERIES) + 1}`,
  sop: `${place + 1}`,
});

async function store(...instances: SampleInstance[]): Promise<string> {
  return (await t.store(owner, sampleZip(...instances))).studies[0]?.id ?? "";
}

/** Asks a node that has read nothing yet, while `watch` looks at the store. */
async function askAnew<Watched>(
  watch: (s3: FaultyS3Server, work: () => Promise<void>) => Promise<Watched>,
  path: string,
  accept?: string,
) {
  await using other = await t.startAgain();
  const headers = { authorization: `Bearer ${owner.token}`, ...(accept !== undefined && { accept }) };
  let body = new Uint8Array();
  const watched = await watch(s3, async () => {
    const answer = await other.app.request(path, { headers });
    expect(answer.status).toBe(200);
    body = new Uint8Array(await answer.arrayBuffer());
  });
  return { watched, body };
}

async function ask(path: string, accept?: string) {
  const { watched, body } = await askAnew(accessesOf, path, accept);
  return { ...watched, body };
}

test("the instances of a series are read while those before them are sent", async () => {
  const { count, inARow, body } = await ask(SERIES_OF_FILM, DICOM);
  expect(count).toBe(1 + SLICES);
  expect(inARow).toBeLessThan(SLICES / 2);
  expect(body.length).toBeGreaterThan(SLICES * 128 * 1024);
});

test("the series of a study are looked up while instances of those before them are sent", async () => {
  const { count, inARow } = await ask("/dicomweb/studies/2.25.1.1", DICOM);
  expect(count).toBe(SERIES + 2 * SERIES);
  expect(inARow).toBeLessThan(count / 2);
});

test("the metadata of a study's series are read a few at once", async () => {
  const { count, inARow, body } = await ask("/dicomweb/studies/2.25.1.1/metadata", JSON_TYPE);
  expect(count).toBe(SERIES);
  expect(inARow).toBeLessThan(SERIES / 2);
  expect(JSON.parse(new TextDecoder().decode(body))).toHaveLength(2 * SERIES);
});

const INSTANCES = "/dicomweb/studies/2.25.1.1/instances?includefield=all";

test.each([
  ["a study's instances", INSTANCES, SERIES],
  ["an instance by its UID", `${INSTANCES}&SOPInstanceUID=2.25.3.1.${SERIES}.${SERIES}`, SERIES],
  ["instances of all studies", "/dicomweb/instances?includefield=all", 2 * SERIES + 1],
])("a search for %s reads the next series ahead", async (_, path, series) => {
  const { count, inARow, body } = await ask(path, JSON_TYPE);
  // The series of a film has a lossless copy, whose index says so.
  expect(count).toBeLessThanOrEqual(series + 1);
  expect(inARow).toBeLessThan(series / 2);
  expect(JSON.parse(new TextDecoder().decode(body)).length).toBeGreaterThan(0);
});

test("series that were read ahead are not read again, however much others read meanwhile", async () => {
  const reader = createSeriesReader(t.deps, { wholeMaxBytes: 1 });
  const manifests = (await Array.fromAsync(manifestPages(t.deps.db, studyId))).flat();
  const ahead = await accessesOf(s3, async () => {
    await Promise.all(manifests.map((manifest) => reader.warm(manifest, true)));
  });
  const inTurn = await accessesOf(s3, async () => {
    for (const manifest of manifests) {
      await reader.manifest(manifest);
      await (await reader.metadata(manifest)).open();
    }
  });
  expect([manifests.length, ahead.count, inTurn.count]).toEqual([SERIES, SERIES, 0]);
});

test("a page of instances reads the series that fill it, and none before or behind it", async () => {
  // Two instances a series: the page and one more are in three of them.
  const { count, body } = await ask(`${INSTANCES}&offset=6&limit=5`, JSON_TYPE);
  expect(count).toBe(3);
  expect(JSON.parse(new TextDecoder().decode(body))).toHaveLength(5);
});

test("a search whose client left reads no further", async () => {
  await using other = await t.startAgain();
  const leaving = new AbortController();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let accesses = 0;
  s3.pause = async () => {
    // The first series is read alone, and the next ones ahead.
    if (++accesses === 2) leaving.abort();
    if (accesses > 1) await gate;
  };
  const headers = { authorization: `Bearer ${owner.token}`, accept: JSON_TYPE };
  const answer = other.app.request("/dicomweb/instances", { headers, signal: leaving.signal });
  await until(() => leaving.signal.aborted);
  open();
  await (await answer).arrayBuffer();
  s3.pause = async () => {};
  expect(accesses).toBeLessThan(SERIES);
});

test.each(["bulkdata", "pixeldata"])(
  "the values of `%s` are read while those before them are sent",
  async (all) => {
    const { count, inARow, body } = await ask(`/dicomweb/studies/2.25.1.1/${all}`, BYTES);
    expect(count).toBe(SERIES + 2 * SERIES);
    expect(inARow).toBeLessThan(count / 2);
    expect(new TextDecoder("latin1").decode(body).split("Content-Location:")).toHaveLength(1 + 2 * SERIES);
  },
);

test("values longer than what is held are opened ahead too", async () => {
  const { count, inARow, body } = await ask(`${SERIES_OF_FILM}/bulkdata`, BYTES);
  expect(inARow).toBeLessThan(count / 2);
  expect(body.length).toBeGreaterThan(SLICES * 128 * 1024);
});

test("values whose client left are read no further", async () => {
  await using other = await t.startAgain();
  let accesses = 0;
  s3.pause = async () => void accesses++;
  const headers = { authorization: `Bearer ${owner.token}`, accept: BYTES };
  const answer = await other.app.request("/dicomweb/studies/2.25.1.1/bulkdata", { headers });
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  const read = accesses;
  await Bun.sleep(100);
  s3.pause = async () => {};
  expect(accesses).toBe(read);
  expect(accesses).toBeLessThan(2 * SERIES);
});

test("metadata and the index of the series' lossless copy take one wait", async () => {
  expect((await askAnew(comeTogether, `${SERIES_OF_FILM}/metadata`, JSON_TYPE)).watched).toBe(true);
});

test("a picture's header and frame take one wait after the index", async () => {
  const path = `${SERIES_OF_FILM}/instances/2.25.3.2.1.7/rendered`;
  expect((await askAnew(comeTogether, path, "image/jpeg")).watched).toBe(true);
});

async function ticketOf(path: string, json: object): Promise<string> {
  const answer = await t.call("POST", path, { as: owner, json });
  expect(answer.status).toBeLessThan(300);
  return ((await answer.json()) as DownloadTicket | ExportTicket).url;
}

async function idOf(uid: string): Promise<string> {
  return (await t.sql`select id from studies where study_instance_uid = ${uid}`)[0]?.id;
}

test("a download of many small volumes reads each directory with one access, and the next volumes ahead", async () => {
  const { count, inARow, body } = await ask(`/api/studies/${await idOf("2.25.1.3")}/download`);
  expect(count).toBe(2 * SERIES);
  expect(inARow).toBeLessThan(count / 2);
  expect(Object.keys(unzipSync(body))).toHaveLength(SERIES);
});

test("a medium of many series reads the next ones ahead", async () => {
  const { count, inARow, body } = await ask(`/api/studies/${await idOf("2.25.1.1")}/download?as=pdi`);
  expect(inARow).toBeLessThan(count / 3);
  const names = Object.keys(unzipSync(body)).filter((name) => name.startsWith("DICOM/"));
  expect(names).toHaveLength(2 * SERIES);
});

test("a medium reads the next images ahead", async () => {
  const { count, inARow, body } = await ask(`/api/studies/${await idOf("2.25.1.2")}/download?as=pdi`);
  expect(inARow).toBeLessThan(count / 2);
  expect(Object.keys(unzipSync(body)).filter((name) => name.startsWith("DICOM/"))).toHaveLength(SLICES);
});

test("an account's export reads the next images ahead", async () => {
  const { count, inARow, body } = await ask(await ticketOf("/api/users/export-ticket", {}));
  expect(count).toBeGreaterThan(4 * SERIES + SLICES);
  expect(inARow).toBeLessThan(count * 0.75);
  const images = Object.keys(unzipSync(body)).filter((name) => name.startsWith("DICOM/"));
  expect(images).toHaveLength(3 * SERIES + SLICES);
});

test("a read that a busy store refuses to the last is not followed by questions about the object", async () => {
  const [manifest] = await t.sql`
    select o.key from stored_objects o join studies s on s.id = o.study_id
    where s.study_instance_uid = '2.25.1.2' and o.kind = 'manifest'`;
  s3.fault = ({ key }) => (key === manifest?.key ? { status: 503, code: "SlowDown" } : undefined);
  s3.seen.length = 0;
  await using other = await t.startAgain();
  const headers = { authorization: `Bearer ${owner.token}`, accept: JSON_TYPE };
  const answer = await other.app.request(`${SERIES_OF_FILM}/metadata`, { headers });
  s3.fault = () => undefined;
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "10"]);
  const asked = s3.seen.filter(({ key }) => key === manifest?.key);
  expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(["GET"]));
  expect(asked).toHaveLength(7);
}, 120_000);
