import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { startDicomwebJobs } from "../../../src/server/features/dicomweb/dicomweb.jobs.ts";
import { describeOlderSeries } from "../../../src/server/features/dicomweb/older-series/describe-older-series.ts";
import { ObjectNotFound } from "../../../src/server/storage/object-store.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;

const text = (vr: string, value: string) => ({ vr, Value: [value] });
const elements = (physician: string): DicomElements => ({
  [TagHex.ReferringPhysicianName]: text("PN", physician),
  [TagHex.StudyID]: text("SH", `E-${physician}`),
  [TagHex.BodyPartExamined]: text("CS", "HEAD"),
  [TagHex.TimezoneOffsetFromUTC]: text("SH", "-0300"),
});

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona Antiga", { plan: "clinica" });
  await t.store(
    owner,
    sampleZip(
      { study: "1", elements: elements("Araujo") },
      { study: "1", series: "2", elements: elements("Araujo") },
      { study: "2", elements: elements("Braga") },
      // Says nothing that is kept.
      { study: "3" },
    ),
  );
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const signal = new AbortController().signal;
const forget = () =>
  t.sql`with old as (update studies set attributes = null) update series set attributes = null`;
/** Ids of studies and series whose attributes are to be read. */
const unread = async () => {
  const rows = await t.sql<
    { id: string }[]
  >`select id from studies where attributes is null union all select id from series where attributes is null`;
  return rows.map(({ id }) => id);
};
const oldest = async () => {
  const rows = await t.sql<{ id: string; study: string; manifest: string }[]>`
    select id, study_id as study, manifest_id as manifest from series order by id limit 1`;
  return rows.at(0) ?? { id: "", study: "", manifest: "" };
};

async function find(query: string): Promise<unknown[]> {
  const answer = await t.call("GET", `/dicomweb/${query}`, { as: owner });
  const found =
    answer.status === 200 ? ((await answer.json()) as Record<string, { Value?: unknown[] }>[]) : [];
  return found.map((json) => json[TagHex.StudyInstanceUID]?.Value?.[0]).sort();
}

test("a new start finds studies of an older release by what their instances say", async () => {
  await forget();
  expect(await find("studies?ReferringPhysicianName=Araujo")).toEqual([]);
  await startDicomwebJobs(t.deps);
  await t.settle();
  expect(await unread()).toEqual([]);
  expect(await find("studies?ReferringPhysicianName=Araujo")).toEqual([studyUID("1")]);
  expect(await find("studies?StudyID=E-Braga")).toEqual([studyUID("2")]);
  expect(await find("series?BodyPartExamined=HEAD")).toEqual([studyUID("1"), studyUID("1"), studyUID("2")]);
  for (const level of ["studies", `studies/${studyUID("1")}/series`]) {
    const answer = await t.call("GET", `/dicomweb/${level}?StudyInstanceUID=${studyUID("1")}`, { as: owner });
    const found = (await answer.json()) as Record<string, { Value?: unknown[] }>[];
    expect(found.length).toBeGreaterThan(0);
    for (const json of found) expect(json[TagHex.TimezoneOffsetFromUTC]?.Value).toEqual(["-0300"]);
  }
});

test("studies that say nothing are not read at every start, whether old or new", async () => {
  await t.store(owner, sampleZip({ study: "4" }));
  expect(await unread()).toEqual([]);
});

test("a run goes on behind what it has seen, and keeps what an upload wrote meanwhile", async () => {
  await forget();
  const { id, study } = await oldest();
  await t.sql`update studies set attributes = '{"00200010":{"vr":"SH","Value":["de agora"]}}' where id = ${study}`;
  expect(await describeOlderSeries(t.deps, id, signal)).toBeUndefined();
  expect(await unread()).toEqual([id]);
  expect(await describeOlderSeries(t.deps, null, signal)).toBeUndefined();
  expect(await unread()).toEqual([]);
  expect(await find("studies?StudyID=de%20agora")).toHaveLength(1);
});

test("a series that can't be read stops no other one", async () => {
  await forget();
  const { id, manifest } = await oldest();
  const { series, log } = t.deps;
  const reading: typeof series = {
    ...series,
    metadata: async (object) => {
      if (object.id === manifest) throw new ObjectNotFound(object.key);
      return await series.metadata(object);
    },
  };
  const quiet = { ...log, warn: () => undefined };
  await describeOlderSeries({ ...t.deps, series: reading, log: quiet }, null, signal);
  expect(await unread()).toContain(id);
  expect((await unread()).length).toBeLessThanOrEqual(2);
});
