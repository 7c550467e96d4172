import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq, inArray, sql } from "drizzle-orm";
import { groupedPopulation, studyPopulation } from "../../../scripts/bench/study-population.ts";
import type { StoredMetadata } from "../../../src/server/features/dicomweb/dicomweb.catalogue.ts";
import { parseQido } from "../../../src/server/features/dicomweb/qido/parse-qido.ts";
import { levelOf } from "../../../src/server/features/dicomweb/qido/qido-attributes.ts";
import { countStudies } from "../../../src/server/features/exchange/count-studies.repo.ts";
import {
  searchSeries,
  searchStudies,
  type WideSearch,
} from "../../../src/server/features/exchange/search.repo.ts";
import { searchAllInstances } from "../../../src/server/features/exchange/search-all.ts";
import { grants, type StudyRow, studies } from "../../../src/server/features/studies/studies.table.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";

const OWN = 6_000;
const OTHERS = { accounts: 3, studiesEach: 200 };
const GRANTED = 40;
const CORRECTED = 7;
/** How many studies bear the rare name while PostgreSQL takes its sample: enough to make it walk. */
const MISTAKEN = 300;
const ROWS_PER_STATEMENT = 1_000;

let t: TestApp;
let owner: Person;
/** All that the owner may see, newest first. */
let all: StudyRow[];

beforeAll(async () => {
  t = await createTestApp({ jobs: false });
  owner = await t.addPerson("Quem Procura", { plan: "clinica" });
  await fill(owner, OWN);
  // A guess that the tests set must not be corrected beside them.
  await t.sql`alter table studies set (autovacuum_enabled = off)`;
  for (let index = 0; index < OTHERS.accounts; index++) {
    const other = await t.addPerson(`Outra ${index}`);
    await fill(other, OTHERS.studiesEach);
    if (index > 0) continue;
    const lent = await t.deps.db.select().from(studies).where(eq(studies.accountId, other.id)).limit(GRANTED);
    const row = { userId: owner.id, createdAt: new Date() };
    await t.deps.db.insert(grants).values(lent.map(({ id }) => ({ ...row, studyId: id })));
  }
  await t.sql`
    update studies set patient_name = 'Corrigida', patient_name_folded = 'corrigida',
      instance_values = jsonb_build_object('patientName', patient_name)
    where id in (select id from studies where account_id = ${owner.id} and patient_name_folded like '%silva%'
      order by study_date desc nulls last limit ${CORRECTED})`;
  await t.sql`
    insert into series (id, study_id, series_instance_uid, series_number, modality, instance_count, manifest_id)
    select gen_random_uuid(), id, study_instance_uid || '.' || n, n, split_part(modality, '\\', 1), 1, gen_random_uuid()
    from studies cross join generate_series(1, 2) as n`;
  await t.sql`
    insert into stored_objects (id, study_id, upload_id, kind, key, size_bytes, sha256, location, created_at)
    select manifest_id, study_id, gen_random_uuid(), 'manifest', manifest_id::text, 2000, '', 'archive', now() from series`;
  const ids = sql`select ${grants.studyId} from ${grants} where ${grants.userId} = ${owner.id}`;
  all = await t.deps.db
    .select()
    .from(studies)
    .where(sql`${studies.accountId} = ${owner.id} or ${studies.id} in (${ids})`)
    .orderBy(
      ...["study_date", "study_time", "id"].map((name) => sql`${sql.identifier(name)} desc nulls last`),
    );
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

async function fill(person: Person, count: number, population = studyPopulation): Promise<void> {
  const rows = [...population(person.id, count)];
  for (let from = 0; from < count; from += ROWS_PER_STATEMENT)
    await t.deps.db.insert(studies).values(rows.slice(from, from + ROWS_PER_STATEMENT));
}

/** Makes PostgreSQL take `zoroastro` for as frequent as it is, or for far more. */
async function sample(guess: "right" | "wrong"): Promise<void> {
  if (guess === "right") return void (await t.sql`vacuum analyze studies, series, stored_objects`);
  const mistaken = all.filter(({ accountId }) => accountId === owner.id).slice(-MISTAKEN);
  const ids = mistaken.map(({ id }) => id);
  const { db } = t.deps;
  await db.update(studies).set({ patientNameFolded: "zoroastro" }).where(inArray(studies.id, ids));
  await t.sql`analyze studies`;
  for (const { id, patientNameFolded } of mistaken)
    await db.update(studies).set({ patientNameFolded }).where(eq(studies.id, id));
  // Merges what was written last into the trigram indexes.
  await t.sql`vacuum studies`;
}

function searchOf(parameters: string, { id: userId } = owner): WideSearch {
  const { matches, limit, offset } = parseQido(new URLSearchParams(parameters));
  const of = (level: string) => matches.filter(({ path: [first] }) => first && levelOf(first.tag) === level);
  const caller = { userId, role: "user" as const };
  return { caller, isGrantedOnly: false, limit, offset, ofStudy: of("study"), ofSeries: of("series") };
}

/** How many rows of a table PostgreSQL reads for a search. */
async function rowsRead(
  find: (db: TestApp["deps"]["db"]) => Promise<unknown>,
  table: "studies" | "series" = "studies",
): Promise<number> {
  return await t.deps.db.transaction(async (tx) => {
    const read = async () => {
      const [row] = await tx.execute<{ rows: number }>(sql`
        select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = ${table}`);
      return row?.rows ?? 0;
    };
    const before = await read();
    await find(tx as never);
    return (await read()) - before;
  });
}

const nameOf = ({ patientNameFolded, instanceValues }: StudyRow) =>
  instanceValues ? String(instanceValues.patientName).toLowerCase() : patientNameFolded;

describe.each(["right", "wrong"] as const)("while PostgreSQL guesses the frequency of a name %s", (guess) => {
  beforeAll(() => sample(guess), 120_000);

  test.each([
    ["a rare name", "PatientName=*zoroastro*&limit=50"],
    ["a rare name in years", "PatientName=*zoroastro*&StudyDate=20150101-20261231&limit=50"],
    ["no name", "PatientName=*nabucodonosor*&limit=50"],
    ["a common name", "PatientName=*silva*&limit=50"],
    ["a common name in years", "PatientName=SILVA*&StudyDate=20150101-20241231&limit=50"],
    ["no description", "StudyDescription=*litotripsia*&limit=50"],
  ])("a search for %s reads few studies, and so does one for its series", async (_, parameters) => {
    const search = searchOf(parameters);
    const few = 1_000;
    expect(await rowsRead((db) => searchStudies(db, search))).toBeLessThan(few);
    expect(await rowsRead((db) => searchSeries(db, search))).toBeLessThan(few);
  });

  const silva = (row: StudyRow) => nameOf(row).includes("silva");
  test.each<[string, string, (row: StudyRow) => boolean]>([
    ["among the newest", "PatientName=*silva*&limit=20", silva],
    ["further down", "PatientName=*silva*&limit=50&offset=900", silva],
    ["at the end", "PatientName=*silva*&limit=1000&offset=1500", silva],
    ["after the end", "PatientName=*silva*&limit=50&offset=6000", silva],
    ["by a pattern", "PatientName=souza*maria&limit=100", (row) => /^souza.*maria$/.test(nameOf(row))],
    ["by words", "PatientName=yamada&fuzzymatching=true", (row) => /\byamada/.test(nameOf(row))],
    [
      "by name and modality",
      "PatientName=*silva*&ModalitiesInStudy=MR&limit=70",
      (row) => silva(row) && (row.modality ?? "").split("\\").includes("MR"),
    ],
    [
      "by name and days",
      "PatientName=*silva*&StudyDate=20190101-20231231&limit=200",
      (row) =>
        silva(row) && !!row.studyDate && row.studyDate >= "2019-01-01" && row.studyDate <= "2023-12-31",
    ],
    [
      "by a beginning of the ID",
      "PatientID=PAC-0004*&limit=200",
      (row) => !!row.patientID?.startsWith("PAC-0004"),
    ],
  ])("a page %s has the same studies and series as a look at each study", async (_, parameters, isWanted) => {
    const search = searchOf(parameters);
    const { limit, offset } = search;
    const wanted = all.filter(isWanted);
    const found = await searchStudies(t.deps.db, search);
    expect(found.map(({ id }) => id)).toEqual(wanted.slice(offset, offset + limit).map(({ id }) => id));
    const foundSeries = await searchSeries(t.deps.db, search);
    const ofEach = wanted.flatMap(({ id }) => [`${id} 1`, `${id} 2`]);
    expect(foundSeries.map((row) => `${row.study.id} ${row.series.seriesNumber}`)).toEqual(
      ofEach.slice(offset, offset + limit),
    );
  });
});

describe("in an account whose names all have several groups", () => {
  const GROUPED = 6_000;
  let grouped: Person;
  let ofGrouped: StudyRow[];

  beforeAll(async () => {
    grouped = await t.addPerson("Quem Lê Kanji", { plan: "clinica" });
    await fill(grouped, GROUPED, groupedPopulation);
    const isOf = eq(studies.accountId, grouped.id);
    // A name of letters beyond ASCII alone is in the column of the list.
    const patientName = { patientName: "渡来^一", patientNameFolded: "渡来 一", patientNameGroups: null };
    const [oldest] = await t.deps.db.select().from(studies).where(isOf).orderBy(studies.studyDate).limit(1);
    await t.deps.db
      .update(studies)
      .set(patientName)
      .where(eq(studies.id, oldest?.id ?? ""));
    await t.sql`vacuum analyze studies`;
    const newest = ["study_date", "study_time", "id"].map(
      (name) => sql`${sql.identifier(name)} desc nulls last`,
    );
    ofGrouped = await t.deps.db
      .select()
      .from(studies)
      .where(isOf)
      .orderBy(...newest);
  }, 240_000);

  const inGroups = (pattern: RegExp) => (row: StudyRow) =>
    pattern.test(`${row.patientNameGroups ?? ""}=${row.patientNameFolded}=`);
  test.each<[string, string, (row: StudyRow) => boolean]>([
    ["a whole group", "PatientName=小鳥遊^柚葉", inGroups(/=小鳥遊 柚葉=/)],
    ["the beginning of a group", "PatientName=小鳥*", inGroups(/=小鳥/)],
    ["a part of a group", "PatientName=*柚葉*", inGroups(/柚葉/)],
    ["one letter", "PatientName=*柚*", inGroups(/柚/)],
    ["a phonetic group", "PatientName=たかなし*", inGroups(/=たかなし/)],
    ["a part of a phonetic group", "PatientName=*かなし*", inGroups(/かなし/)],
    ["all groups", "PatientName=Takanashi^Yuzuha=小鳥遊^柚葉=たかなし^ゆずは", inGroups(/小鳥遊 柚葉/)],
    ["the alphabetic group", "PatientName=takanashi*", inGroups(/=takanashi/)],
    ["a name of one group", "PatientName=渡来*", inGroups(/=渡来/)],
    ["letters that names have, but not in a row", "PatientName=*田山*", inGroups(/田山/)],
    ["nobody", "PatientName=*nabucodonosor*", () => false],
    ["words", "PatientName=柚葉 takanashi&fuzzymatching=true", inGroups(/柚葉/)],
    ["the beginning of a word", "PatientName=柚&fuzzymatching=true", inGroups(/柚/)],
    ["a rare name in years", "PatientName=五反田*&StudyDate=20240101-20241231", inYear(/=五反田/, "2024")],
  ])(
    "a search by %s finds the same studies as a look at each, and reads few",
    async (_, parameters, isWanted) => {
      const search = searchOf(`${parameters}&limit=50`, grouped);
      const found = await searchStudies(t.deps.db, search);
      const wanted = ofGrouped.filter(isWanted).slice(0, search.limit);
      expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
      const few = 1_000;
      expect(await rowsRead((db) => searchStudies(db, search))).toBeLessThan(few);
      expect(await rowsRead((db) => searchSeries(db, search))).toBeLessThan(few);
      expect(await countStudies(t.deps.db, search)).toBe(ofGrouped.filter(isWanted).length);
      expect(await rowsRead((db) => countStudies(db, search))).toBeLessThan(few);
    },
  );

  test.each<[string, string, (row: StudyRow) => boolean]>([
    ["among the newest", "PatientName=山田*&limit=20", inGroups(/=山田/)],
    ["at the end", "PatientName=*太郎*&limit=1000&offset=300", inGroups(/太郎/)],
    ["by any two letters", "PatientName=山??太郎&limit=100", inGroups(/=山..太郎=/)],
    [
      "by words",
      "PatientName=太 yama&fuzzymatching=true&limit=500",
      (row) => inGroups(/[ =]太/)(row) && inGroups(/[ =]yama/)(row),
    ],
  ])(
    "a page of a common group %s has the same studies as a look at each",
    async (_, parameters, isWanted) => {
      const search = searchOf(parameters, grouped);
      const { limit, offset } = search;
      const found = await searchStudies(t.deps.db, search);
      const wanted = ofGrouped.filter(isWanted).slice(offset, offset + limit);
      expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    },
  );

  function inYear(pattern: RegExp, year: string): (row: StudyRow) => boolean {
    return (row) => inGroups(pattern)(row) && !!row.studyDate?.startsWith(year);
  }
});

describe("a search by what few studies have", () => {
  const said = (tag: string, row: StudyRow) => JSON.stringify(row.attributes?.[tag]?.Value ?? []);
  const physician = (pattern: RegExp) => (row: StudyRow) =>
    pattern.test(said(TagHex.ReferringPhysicianName, row));
  beforeAll(() => sample("right"), 120_000);

  test.each<[string, string, (row: StudyRow) => boolean]>([
    ["a referring physician", "ReferringPhysicianName=quaresma*", physician(/Quaresma/)],
    ["a part of the name", "ReferringPhysicianName=*POLICARPO", physician(/Policarpo/)],
    ["words of the name", "ReferringPhysicianName=polic quar&fuzzymatching=true", physician(/Quaresma/)],
    ["a physician of nobody", "ReferringPhysicianName=nabuco*", () => false],
    ["the study's ID", "StudyID=4242", (row) => said(TagHex.StudyID, row) === '["4242"]'],
    ["a time", "StudyTime=100000", ({ studyTime }) => studyTime === "10:00:00"],
    ["a time of nobody", "StudyTime=2300-", () => false],
  ])("%s finds the same studies as a look at each, and reads few", async (_, parameters, isWanted) => {
    const search = searchOf(`${parameters}&limit=50`);
    const wanted = all.filter(isWanted).slice(0, 50);
    const found = await searchStudies(t.deps.db, search);
    expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    const few = 1_000;
    expect(await rowsRead((db) => searchStudies(db, search))).toBeLessThan(few);
    expect(await rowsRead((db) => searchSeries(db, search))).toBeLessThan(few);
    expect(await countStudies(t.deps.db, search)).toBe(all.filter(isWanted).length);
  });

  test.each<[string, (row: StudyRow) => boolean]>([
    ["StudyTime=10-1014&limit=100", ({ studyTime }) => /^10:(0\d|1[0-4])/.test(studyTime ?? "")],
    ["StudyTime=173000-&limit=100&offset=200", ({ studyTime }) => (studyTime ?? "") >= "17:30:00"],
    ["StudyTime=-0700&limit=100", ({ studyTime }) => (studyTime ?? "~") < "07:01:00"],
    ["ReferringPhysicianName=silva*&limit=300", physician(/"Silva/)],
    ["ReferringPhysicianName=*ana*&limit=100&offset=500", physician(/ana/i)],
  ])("a page of %s has the same studies as a look at each", async (parameters, isWanted) => {
    const search = searchOf(parameters);
    const { limit, offset } = search;
    const found = await searchStudies(t.deps.db, search);
    const wanted = all.filter(isWanted).slice(offset, offset + limit);
    expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
  });

  test.each(["XA", "XA,NM", "X?"])(
    "the series of modality %s are found in the studies that have it",
    async (modality) => {
      const search = searchOf(`Modality=${modality}&limit=1000`);
      const pattern = new RegExp(`^(${modality.replace(",", "|").replace("?", ".")})(\\\\|$)`);
      const wanted = all.filter((row) => pattern.test(row.modality ?? ""));
      const found = await searchSeries(t.deps.db, search);
      expect(found).toHaveLength(2 * wanted.length);
      expect(new Set(found.map(({ study }) => study.id))).toEqual(new Set(wanted.map(({ id }) => id)));
      expect(await rowsRead((db) => searchSeries(db, search), "series")).toBeLessThan(1_000);
      // What is asked of series does not narrow a search for studies.
      const [newest] = await searchStudies(t.deps.db, { ...search, limit: 1 });
      expect(newest?.id).toBe(all[0]?.id);
    },
  );

  test("a page of instances reads the first few series", async () => {
    const metadata = { ranges: async () => [] } as Partial<StoredMetadata>;
    const manifest = { version: 1, studyInstanceUID: "1", seriesInstanceUID: "1", instances: [instance] };
    const series = {
      warm: async () => {},
      derivative: async () => undefined,
      manifest: async () => manifest,
      metadata: async () => metadata,
      copies: async () => new Map(),
    };
    const session = { ...owner, userId: owner.id, role: "user", hasActiveSubscription: true };
    const search = (db: TestApp["deps"]["db"]) =>
      searchAllInstances(
        { ...t.deps, db, series, baseUrl: "https://exames.example/dicomweb" } as never,
        session as never,
        parseQido(new URLSearchParams("limit=5")),
      );
    expect((await search(t.deps.db)).items).toHaveLength(6);
    expect(await rowsRead(search)).toBeLessThan(150);
  });
  const instance = {
    ...{ sopInstanceUID: "1.1", sopClassUID: "1.2", transferSyntaxUID: "1.2.840.10008.1.2.1" },
    ...{ instanceNumber: 1, rows: null, columns: null, frames: { kind: "none" } },
  };
});

const PAGE_BYTES = 8_192;

test("a search reads few entries that are not merged into an index of texts, however many studies came last", async () => {
  const other = await t.addPerson("Quem Envia", { plan: "clinica" });
  await fill(other, 1_000);
  const indexes = await t.sql`
    select indexname as name from pg_indexes where tablename = 'studies' and indexdef like '%USING gin%'`;
  expect(indexes).toHaveLength(9);
  for (const { name } of indexes) {
    const [merged] = await t.sql`select gin_clean_pending_list(${name}::regclass)::int as pages`;
    // The row that passes the limit may take a few pages more.
    expect(merged?.pages).toBeLessThanOrEqual((256 * 1_024) / PAGE_BYTES + 4);
  }
});
