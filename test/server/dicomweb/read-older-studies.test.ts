import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { createSeriesReader } from "../../../src/server/features/dicomweb/catalogue/create-series-reader.ts";
import { startDicomwebJobs } from "../../../src/server/features/dicomweb/dicomweb.jobs.ts";
import { ROWS_A_RUN } from "../../../src/server/features/dicomweb/older-series/read-in-pages.ts";
import { readOlderStudies } from "../../../src/server/features/dicomweb/older-series/read-older-studies.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { restingObjects } from "../../support/app/damaged-study.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;

const named = (...Value: string[]): DicomElements => ({ [TagHex.PatientName]: { vr: "PN", Value } });
const timed = (...Value: string[]): DicomElements => ({ [TagHex.StudyTime]: { vr: "TM", Value } });
const YAMADA = { Alphabetic: "Yamada^Tarou", Ideographic: "山田^太郎", Phonetic: "やまだ^たろう" };
const yamada = named("Yamada^Tarou=山田^太郎=やまだ^たろう");

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona Antiga", { plan: "clinica" });
  await t.store(
    owner,
    sampleZip(
      { study: "1", elements: yamada },
      { study: "2", elements: named("Silva^Ana") },
      // The images of the smaller series have another name than the study.
      { study: "3", elements: named("Hong^Gildong=洪^吉洞=홍^길동") },
      { study: "3", series: "2", elements: named("Kim^Ana=金^Ana") },
      { study: "4" },
    ),
  );
  await t.store(owner, sampleZip({ study: "5", elements: yamada }), { patientName: "Corrigida" });
  await t.store(
    owner,
    sampleZip(
      { study: "11", elements: { ...named("Ito^Ken=伊藤^健"), ...timed("082758.200000") } },
      { study: "12", elements: timed("082758") },
      // The images of the smaller series have another time than the study.
      { study: "13", elements: timed("101112.5") },
      { study: "13", series: "2", elements: timed("111213.25") },
    ),
  );
  await t.store(owner, sampleZip({ study: "14", elements: timed("093431.70") }), {
    examinedAt: "2020-01-02T03:04",
  });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const { signal } = new AbortController();

/** Leaves the rows as releases wrote them that kept one group of a name and no fraction of a time. */
async function forget(): Promise<void> {
  await t.sql`update studies set patient_name_groups = null, patient_name_tries = default, study_time_tries = default,
    attributes = attributes - '00100010' - '00080030'`;
}
beforeEach(forget);

async function find(query: string, as = owner): Promise<DicomJson[]> {
  const answer = await t.call("GET", `/dicomweb/studies?${query}`, { as });
  return answer.status === 200 ? ((await answer.json()) as DicomJson[]) : [];
}
const uidsOf = (found: DicomJson[]) =>
  found.map((json) => String(json[TagHex.StudyInstanceUID]?.Value?.[0])).sort();
const byName = async (name: string) => uidsOf(await find(`PatientName=${encodeURIComponent(name)}`));
const byTime = async (time: string) => uidsOf(await find(`StudyTime=${time}`));
const timeOf = async (study: string) =>
  (await find(`StudyInstanceUID=${studyUID(study)}`))[0]?.[TagHex.StudyTime]?.Value;
const nameOf = async (study: string) =>
  (await find(`StudyInstanceUID=${studyUID(study)}`))[0]?.[TagHex.PatientName]?.Value;

async function idOf(study: string): Promise<string> {
  const [row] = await t.sql<
    { id: string }[]
  >`select id from studies where study_instance_uid = ${studyUID(study)}`;
  return row?.id ?? "";
}
async function triesOf(study: string): Promise<number | null> {
  const [row] = await t.sql<{ tries: number | null }[]>`
    select patient_name_tries as tries from studies where study_instance_uid = ${studyUID(study)}`;
  return row?.tries ?? null;
}

/** The app with a reader that counts, and that may fail. */
function watched(fail: (studyId: string | null) => Error | undefined = () => undefined) {
  const { series, log } = t.deps;
  const read: (string | null)[] = [];
  const reading: typeof series = {
    ...series,
    metadata: async (object) => {
      read.push(object.studyId);
      const failure = fail(object.studyId);
      if (failure) throw failure;
      return await series.metadata(object);
    },
  };
  return { deps: { ...t.deps, series: reading, log: { ...log, warn: () => undefined } }, read };
}

test("a new start finds a study of an older release by any group of its name, and answers all of them", async () => {
  expect(await byName("山田*")).toEqual([]);
  expect(await nameOf("1")).toEqual([{ Alphabetic: "Yamada^Tarou" }]);
  await startDicomwebJobs(t.deps);
  await t.settle();
  const both = [studyUID("1"), studyUID("5")];
  expect(await byName("山田*")).toEqual(both);
  expect(await byName("*たろう")).toEqual(both);
  expect(await nameOf("1")).toEqual([YAMADA]);
});

test("a study has the groups of the images that it is listed under", async () => {
  await readOlderStudies(t.deps, null, signal);
  expect(await nameOf("3")).toEqual([
    { Alphabetic: "Hong^Gildong", Ideographic: "洪^吉洞", Phonetic: "홍^길동" },
  ]);
  expect(await byName("金*")).toEqual([]);
  expect(await nameOf("2")).toEqual([{ Alphabetic: "Silva^Ana" }]);
});

test("the name that the upload form gave stays", async () => {
  await readOlderStudies(t.deps, null, signal);
  const answer = await t.call("GET", "/api/studies", { as: owner });
  const studies = (await answer.json()) as { studyInstanceUID: string; patientName: string | null }[];
  const names = Object.fromEntries(studies.map((study) => [study.studyInstanceUID, study.patientName]));
  expect(names[studyUID("5")]).toBe("Corrigida");
  expect(names[studyUID("1")]).toBe("Yamada^Tarou");
});

test("a new start finds a study of an older release by the fraction of its time, and answers it", async () => {
  expect(await byTime("082758.200000")).toEqual([]);
  expect(await timeOf("11")).toEqual(["082758"]);
  await startDicomwebJobs(t.deps);
  await t.settle();
  expect(await byTime("082758.200000")).toEqual([studyUID("11")]);
  expect(await timeOf("11")).toEqual(["082758.200000"]);
  expect(await byName("伊藤*")).toEqual([studyUID("11")]);
  expect(await timeOf("12")).toEqual(["082758"]);
});

test("a time is read where the name is known, of the images that have it, and beside that of the upload form", async () => {
  await t.sql`update studies set patient_name_tries = null`;
  await readOlderStudies(t.deps, null, signal);
  expect(await timeOf("13")).toEqual(["101112.5"]);
  expect(await timeOf("14")).toEqual(["093431.70"]);
  expect(await byTime("111213.25")).toEqual([]);
  const [listed] =
    await t.sql`select study_time as time from studies where study_instance_uid = ${studyUID("14")}`;
  expect(listed).toEqual({ time: "03:04" });
});

test("each study is read once, whatever its name, and new ones are not read", async () => {
  await t.store(
    owner,
    sampleZip({ study: "6", elements: yamada }, { study: "7", elements: named("Lima^Ana") }),
  );
  const first = watched();
  expect(await readOlderStudies(first.deps, null, signal)).toBeUndefined();
  const ids = await Promise.all(["1", "2", "3", "4", "5", "11", "12", "13", "14"].map(idOf));
  expect([...new Set(first.read)].sort()).toEqual(ids.sort());
  const second = watched();
  await readOlderStudies(second.deps, null, signal);
  expect(second.read).toEqual([]);
});

test("what an older release has not described yet is described with the name", async () => {
  await t.sql`update studies set attributes = null`;
  await readOlderStudies(t.deps, null, signal);
  await startDicomwebJobs(t.deps);
  await t.settle();
  expect(await nameOf("1")).toEqual([YAMADA]);
  const rows = await t.sql`select id from studies where attributes is null`;
  expect(rows).toHaveLength(0);
});

test("studies whose bytes are damaged or missing stop no other one, and are tried five times", async () => {
  const manifestOf = async (study: string) =>
    (await restingObjects(t, await idOf(study))).filter(({ kind }) => kind === "manifest");
  const [missing, changed] = [await manifestOf("1"), await manifestOf("4")];
  // Nothing of these is in memory.
  const fresh = () => ({
    ...t.deps,
    series: createSeriesReader(t.deps),
    log: createLogger({ level: "error" }),
  });
  for (const manifest of missing) manifest.remove();
  for (const manifest of changed) manifest.flip(manifest.bytes.length >> 1);
  try {
    for (let round = 1; round <= 5; round++) {
      await readOlderStudies(fresh(), null, signal);
      expect([await triesOf("1"), await triesOf("4")]).toEqual([round, round]);
    }
    const found = await byName("山田*");
    expect([found.includes(studyUID("1")), found.includes(studyUID("5"))]).toEqual([false, true]);
    const sixth = watched();
    await readOlderStudies(sixth.deps, null, signal);
    expect(sixth.read).toEqual([]);
  } finally {
    for (const manifest of [...missing, ...changed]) manifest.restore();
  }
});

test("a run ends after a number of studies, and the next one goes on behind them", async () => {
  await t.sql`update studies set patient_name_tries = null, study_time_tries = null`;
  const { id } = (await t.sql<{ id: string }[]>`select id from studies order by id limit 1`)[0] ?? { id: "" };
  // Rows without bytes, as while these are on their way.
  await t.sql`
    insert into studies (id, account_id, study_instance_uid, series_count, instance_count, size_bytes, storage_status, created_at)
    select ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${owner.id}, '2.25.9.' || n, 1, 1, 1, 'local', now()
    from generate_series(1, ${ROWS_A_RUN + 1}::int) as n`;
  try {
    const next = await readOlderStudies(t.deps, id, signal);
    expect(next).toBe(`ffffffff-0000-7000-8000-${String(ROWS_A_RUN).padStart(12, "0")}`);
    expect(await readOlderStudies(t.deps, next ?? "", signal)).toBeUndefined();
    const waiting = await t.sql`select id from studies where patient_name_tries = 0`;
    expect(waiting).toHaveLength(ROWS_A_RUN + 1);
  } finally {
    await t.sql`delete from studies where study_instance_uid like '2.25.9.%'`;
  }
});

test("a store that can't be reached ends the run, and counts for no study", async () => {
  const failing = await idOf("3");
  const { deps } = watched((studyId) => (studyId === failing ? new StoreUnavailable("read") : undefined));
  await expect(readOlderStudies(deps, null, signal)).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await triesOf("3")).toBe(0);
  await readOlderStudies(t.deps, null, signal);
  expect(await triesOf("3")).toBeNull();
});
