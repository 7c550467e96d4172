import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { sql } from "drizzle-orm";
import { studyPopulation } from "../../../scripts/bench/study-population.ts";
import { parseQido } from "../../../src/server/features/dicomweb/qido/parse-qido.ts";
import { searchStudies } from "../../../src/server/features/exchange/search.repo.ts";
import { grantorsOf } from "../../../src/server/features/studies/access/grantors-of.ts";
import { readGrantsRevision } from "../../../src/server/features/studies/grantors.repo.ts";
import { studies } from "../../../src/server/features/studies/studies.table.ts";
import { pageOfStudies } from "../../../src/server/features/study-list/list-studies.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";

type Row = typeof studies.$inferInsert;

const OWNED = 3_000;
const FRIENDS = 20;
const ROWS_PER_STATEMENT = 1_000;

let t: TestApp;
let clinic: Person;
/** Was granted all that the clinic has. */
let doctor: Person;
/** Was granted studies of more accounts than are looked through one by one. */
let teacher: Person;
let ofClinic: Row[];
const ofFriends: Row[] = [];

beforeAll(async () => {
  t = await createTestApp({ jobs: false });
  clinic = await t.addPerson("Clínica Grande", { plan: "clinica" });
  doctor = await t.addPerson("Doutora Souza", { role: "doctor", plan: null });
  teacher = await t.addPerson("Professor Lima", { role: "doctor", plan: null });
  ofClinic = await fill(clinic, OWNED);
  await grant(ofClinic, doctor);
  for (let index = 0; index < FRIENDS; index++) {
    const rows = await fill(await t.addPerson(`Paciente ${index}`), 5 + index);
    ofFriends.push(...rows.slice(1));
  }
  await grant(ofFriends, teacher);
  await t.sql`vacuum analyze studies`;
  await t.sql`vacuum analyze grants`;
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

async function fill(person: Person, count: number): Promise<Row[]> {
  const rows = [...studyPopulation(person.id, count)];
  for (let from = 0; from < count; from += ROWS_PER_STATEMENT)
    await t.deps.db.insert(studies).values(rows.slice(from, from + ROWS_PER_STATEMENT));
  return rows;
}

async function grant(rows: Row[], person: Person): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await t.sql`insert into grants (study_id, user_id, created_at) select unnest(${ids}::uuid[]), ${person.id}, now()`;
}

type Find = (db: TestApp["deps"]["db"]) => Promise<unknown>;

const listOf =
  ({ id: userId }: Person, query: object) =>
  (db: TestApp["deps"]["db"]) =>
    pageOfStudies({ db }, { userId, role: "doctor" }, { limit: 50, ...query });
const searchOf = ({ id: userId }: Person, parameters: string) => {
  const { matches, limit, offset } = parseQido(new URLSearchParams(parameters));
  const search = { caller: { userId, role: "doctor" as const }, isGrantedOnly: true, ofSeries: [] };
  return (db: TestApp["deps"]["db"]) => searchStudies(db, { ...search, limit, offset, ofStudy: matches });
};

/** How many studies PostgreSQL reads. */
async function studiesRead(find: Find): Promise<number> {
  return await t.deps.db.transaction(async (tx) => {
    const read = async () => {
      const [row] = await tx.execute<{ rows: number }>(sql`
        select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'studies'`);
      return row?.rows ?? 0;
    };
    const before = await read();
    await find(tx as never);
    return (await read()) - before;
  });
}

const few = 1_000;
/** A transaction remembers nothing of former ones, so each list finds out once who granted what. */
const ONCE = OWNED;

describe("somebody to whom an account granted all it has", () => {
  test.each([
    ["the newest", {}],
    ["by name", { sort: "patientName", order: "asc" }],
    ["of a rare name", { patientName: "zoroastro" }],
    ["of a common name", { patientName: "silva" }],
    ["of a modality", { modality: "CT" }],
  ])("lists %s and reads few studies beside those that it counts", async (_, query) => {
    const owners = listOf(clinic, query);
    const { rows, total } = await listOf(doctor, query)(t.deps.db);
    const own = await owners(t.deps.db);
    expect([rows.map(({ study }) => study.id), total]).toEqual([
      own.rows.map(({ study }) => study.id),
      own.total,
    ]);
    const read = await studiesRead(listOf(doctor, query));
    expect(read - ONCE).toBeLessThan((await studiesRead(owners)) + few);
  });

  test("has it looked up once who granted their studies", async () => {
    const caller = { userId: doctor.id, role: "doctor" as const };
    const read = async () => grantorsOf(t.deps.db, caller, await readGrantsRevision(t.deps.db, caller));
    const known = await read();
    expect(known.accountIds).toEqual([clinic.id]);
    expect(await read()).toBe(known);
  });

  test.each([
    ["the newest", "limit=50"],
    ["a rare name", "PatientName=*zoroastro*&limit=50"],
    ["no name", "PatientName=*nabucodonosor*&limit=50"],
    ["a common name", "PatientName=SILVA*&limit=50"],
    ["words of a name", "PatientName=maria silva&fuzzymatching=true&limit=50"],
    ["days and a modality", "StudyDate=20200101-20261231&ModalitiesInStudy=CT&limit=50"],
  ])("searches for %s and reads few studies", async (_, parameters) => {
    const found = (await searchOf(doctor, parameters)(t.deps.db)).map(({ id }) => id);
    const { matches, limit, offset } = parseQido(new URLSearchParams(parameters));
    const caller = { userId: clinic.id, role: "user" as const };
    const own = await searchStudies(t.deps.db, {
      ...{ caller, isGrantedOnly: false, limit, offset, ofStudy: matches, ofSeries: [] },
    });
    expect(found).toEqual(own.map(({ id }) => id));
    expect((await studiesRead(searchOf(doctor, parameters))) - ONCE).toBeLessThan(few);
  });
});

test("a grant that ends or is made counts at once, also in what was counted before", async () => {
  const [lent] = ofClinic;
  const totals = async () => {
    const { total } = await listOf(doctor, { patientName: "a" })(t.deps.db);
    return [total, (await listOf(doctor, {})(t.deps.db)).total];
  };
  const before = await totals();
  await t.sql`delete from grants where study_id = ${lent?.id ?? ""} and user_id = ${doctor.id}`;
  const name = lent?.patientNameFolded?.includes("a") ? 1 : 0;
  expect(await totals()).toEqual([(before[0] ?? 0) - name, (before[1] ?? 0) - 1]);
  await grant(lent ? [lent] : [], doctor);
  expect(await totals()).toEqual(before);
  await t.sql`update studies set patient_name = 'X', patient_name_folded = 'x' where id = ${lent?.id ?? ""}`;
  expect(await totals()).toEqual([(before[0] ?? 0) - name, before[1] ?? 0]);
  await t.sql`update studies set patient_name = ${lent?.patientName ?? null}, patient_name_folded = ${lent?.patientNameFolded ?? ""}
    where id = ${lent?.id ?? ""}`;
});

describe("a page far behind the first of what an account granted and of one's own", () => {
  test.each([1_000, 9_000_000])(
    "is found at offset %i without fetching the ids of all before it",
    async (offset) => {
      const { matches } = parseQido(new URLSearchParams("PatientName=*a*"));
      const caller = { userId: doctor.id, role: "doctor" as const };
      const search = { caller, isGrantedOnly: false, ofStudy: matches, ofSeries: [], limit: 5 };
      const all = await searchStudies(t.deps.db, { ...search, limit: OWNED, offset: 0 });
      using execute = spyOn(t.deps.db, "execute");
      const page = await searchStudies(t.deps.db, { ...search, offset });
      expect(page.map(({ id }) => id)).toEqual(all.slice(offset, offset + 5).map(({ id }) => id));
      const answers = (await Promise.all(execute.mock.results.map(({ value }) => value))) as {
        ids?: string[];
      }[][];
      const fetched = answers.flat().map(({ ids = [] }) => ids.length);
      expect(Math.max(0, ...fetched)).toBeLessThan(2_000);
    },
  );
});

describe("somebody to whom many accounts granted studies", () => {
  test.each([{}, { patientName: "maria" }, { modality: "US" }, { startDate: "2022-01-01" }])(
    "lists each of them once (%o)",
    async (query) => {
      const passes = (row: Row) =>
        (!query.patientName || !!row.patientNameFolded?.includes(query.patientName)) &&
        (!query.modality || !!row.modality?.includes(query.modality)) &&
        (!query.startDate || !row.studyDate || row.studyDate >= query.startDate);
      const { rows, total } = await listOf(teacher, { ...query, limit: 1_000 })(t.deps.db);
      const wanted = ofFriends.filter(passes).map(({ id }) => id);
      expect(rows.map(({ study }) => study.id).toSorted()).toEqual(wanted.toSorted());
      expect(total).toBe(wanted.length);
    },
  );

  test.each([
    "limit=1000",
    "PatientName=*maria*&limit=1000",
    "PatientName=mar sil&fuzzymatching=true&limit=1000",
  ])("finds each of them once by %s, newest first", async (parameters) => {
    const isFound = (row: Row) =>
      parameters.includes("fuzzy")
        ? [/\bmar/, /\bsil/].every((word) => word.test(row.patientNameFolded ?? ""))
        : !parameters.includes("maria") || !!row.patientNameFolded?.includes("maria");
    const found = await searchOf(teacher, parameters)(t.deps.db);
    const wanted = ofFriends.filter(isFound).map(({ id }) => id);
    expect(found.map(({ id }) => id).toSorted()).toEqual(wanted.toSorted());
    const days = found.map(({ studyDate }) => studyDate ?? "");
    expect(days).toEqual(days.toSorted().toReversed());
  });
});
