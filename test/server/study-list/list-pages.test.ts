import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { studyPopulation } from "../../../scripts/bench/study-population.ts";
import { studies } from "../../../src/server/features/studies/studies.table.ts";
import { type Study, studySorts } from "../../../src/shared/api/studies.ts";
import { fold } from "../../../src/shared/fold.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";

type Row = typeof studies.$inferInsert;

const OWN = 400;
const OTHERS = 60;
const PAGE = 37;

let t: TestApp;
let owner: Person;
let stranger: Person;
/** Owns as many as `owner`, and was granted some of the stranger's. */
let colleague: Person;
let doctor: Person;
let admin: Person;
const rowsOf = new Map<string, Row[]>();
let granted: Row[];

beforeAll(async () => {
  t = await createTestApp({ jobs: false });
  owner = await t.addPerson("Dona Clínica", { plan: "clinica" });
  stranger = await t.addPerson("Outra Clínica", { plan: "clinica" });
  colleague = await t.addPerson("Colega Lima", { plan: "clinica" });
  doctor = await t.addPerson("Doutor Sá", { role: "doctor", plan: null });
  admin = await t.addPerson("Administradora", { role: "admin" });
  for (const [person, count] of [
    [owner, OWN],
    [stranger, OTHERS],
    [colleague, OWN],
  ] as const) {
    const rows = [...studyPopulation(person.id, count)];
    rowsOf.set(person.id, rows);
    await t.deps.db.insert(studies).values(rows);
  }
  granted = rowsIn(stranger).slice(0, 25);
  for (const { id } of granted) {
    for (const { id: userId } of [colleague, doctor])
      await t.sql`insert into grants (study_id, user_id, created_at) values (${id}, ${userId}, now())`;
  }
  // A grant of one's own study must not show it twice.
  const [first] = rowsIn(colleague);
  await t.sql`insert into grants (study_id, user_id, created_at) values (${first?.id ?? ""}, ${colleague.id}, now())`;
});
afterAll(() => t[Symbol.asyncDispose]());

function rowsIn(person: Person): Row[] {
  return rowsOf.get(person.id) ?? [];
}

async function page(person: Person, query: string): Promise<{ ids: string[]; total: number }> {
  const answer = await t.call("GET", `/api/studies?${query}`, { as: person });
  expect(answer.status).toBe(200);
  const ids = ((await answer.json()) as Study[]).map(({ id }) => id);
  return { ids, total: Number(answer.headers.get("x-total-count")) };
}

/** Every page, one after the other; each must tell the same total. */
async function allPages(person: Person, query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { ids: some, total } = await page(person, `limit=${PAGE}&offset=${offset}&${query}`);
    ids.push(...some);
    if (some.length < PAGE) {
      expect(total).toBe(ids.length);
      return ids;
    }
  }
}

const keysOf: Record<(typeof studySorts)[number], string[]> = {
  studyDate: ["study_date", "study_time"],
  studyDescription: ["description_folded"],
  patientName: ["patient_name_folded"],
  modality: ["modality"],
  imagesReceived: ["instance_count"],
  seriesCount: ["series_count"],
  createdAt: ["created_at"],
};

/** The ids in the order that the database itself gives them, without index, page or part. */
async function sorted(ids: (string | undefined)[], sort: (typeof studySorts)[number], order: "asc" | "desc") {
  const nulls = order === "asc" ? "first" : "last";
  const keys = [...keysOf[sort], "id"].map((key) => `${key} ${order} nulls ${nulls}`);
  const known = ids.filter((id) => id !== undefined);
  const rows = await t.sql.unsafe<{ id: string }[]>(
    `select id from studies where id = any($1::uuid[]) order by ${keys.join(", ")}`,
    [known],
  );
  return rows.map(({ id }) => id);
}

describe("the pages of a list", () => {
  for (const sort of studySorts) {
    for (const order of ["asc", "desc"] as const) {
      test(`by ${sort}, ${order}, show every study once, with ties always in the same order`, async () => {
        const ids = rowsIn(owner).map(({ id }) => id);
        expect(await allPages(owner, `sort=${sort}&order=${order}`)).toEqual(await sorted(ids, sort, order));
      });

      test(`by ${sort}, ${order}, sort granted studies among one's own`, async () => {
        const ids = [...rowsIn(colleague), ...granted].map(({ id }) => id);
        const listed = await allPages(colleague, `sort=${sort}&order=${order}`);
        expect(listed).toEqual(await sorted(ids, sort, order));
      });
    }
  }
});

const has = (text: string | null | undefined, searched: string) => fold(text ?? "").includes(fold(searched));
const filters: [query: string, passes: (row: Row) => boolean][] = [
  ["patientName=silva", (row) => has(row.patientName?.replaceAll("^", " "), "silva")],
  ["patientName=JO%C3%83O", (row) => has(row.patientName, "joao")],
  ["patientName=zoroastro", (row) => has(row.patientName, "zoroastro")],
  ["patientName=%25", (row) => has(row.patientName, "%")],
  ["patientID=pac-00001", (row) => has(row.patientID, "pac-00001")],
  ["accessionNumber=200001", (row) => has(row.accessionNumber, "200001")],
  ["accessionNumber=2", (row) => has(row.accessionNumber, "2")],
  ["description=torax", (row) => has(row.description, "torax")],
  ["modality=CT", (row) => row.modality?.includes("CT") ?? false],
  ["modality=C", (row) => row.modality?.includes("C") ?? false],
  ["modality=c", (row) => row.modality?.includes("C") ?? false],
  ["modality=ZZ", () => false],
  ["modality=all&patientName=maria", (row) => has(row.patientName, "maria")],
  ["startDate=2024-01-01", (row) => !row.studyDate || row.studyDate >= "2024-01-01"],
  ["endDate=2024-01-01", (row) => !row.studyDate || row.studyDate <= "2024-01-01"],
  [
    "startDate=2022-01-01&endDate=2023-12-31&modality=US",
    (row) =>
      (!row.studyDate || (row.studyDate >= "2022-01-01" && row.studyDate <= "2023-12-31")) &&
      row.modality === "US",
  ],
  [
    "description=torax&modality=US",
    (row) => has(row.description, "torax") && (row.modality?.includes("US") ?? false),
  ],
];

describe("a filtered list", () => {
  for (const [query, passes] of filters) {
    test(`with ${query} shows and counts exactly the matches, every time`, async () => {
      const own = rowsIn(colleague).filter(passes);
      const visible = [...own, ...granted.filter(passes)].map(({ id }) => id);
      const expected = await sorted(visible, "patientName", "asc");
      for (let time = 0; time < 2; time++) {
        expect(await allPages(colleague, `${query}&sort=patientName&order=asc`)).toEqual(expected);
        expect((await page(owner, `limit=1&${query}`)).total).toBe(rowsIn(owner).filter(passes).length);
      }
    });
  }

  test("finds a modality that only a granted study has", async () => {
    const [row] = granted;
    await t.sql`update studies set modality = 'OPT' where id = ${row?.id ?? ""}`;
    for (const code of ["OP", "op"])
      expect(await page(colleague, `modality=${code}`)).toEqual({ ids: [row?.id ?? ""], total: 1 });
    expect(await page(owner, "modality=OP")).toEqual({ ids: [], total: 0 });
    await t.sql`update studies set modality = ${row?.modality ?? null} where id = ${row?.id ?? ""}`;
  });

  test("distinguishes modalities that differ only after many others", async () => {
    const person = await t.addPerson("Disco Ruim", { plan: "clinica" });
    const rows = [...studyPopulation(person.id, 2)];
    const many = Array.from({ length: 100 }, (_, index) => `A${index}`).join("\\");
    await t.deps.db
      .insert(studies)
      .values(rows.map((row, index) => ({ ...row, modality: `${many}\\${index === 0 ? "XA" : "XB"}` })));
    expect((await page(person, "modality=XA")).ids).toEqual([rows[0]?.id ?? ""]);
    expect((await page(person, "modality=XB&sort=modality")).ids).toEqual([rows[1]?.id ?? ""]);
  });
});

describe("a list", () => {
  test("of a doctor holds only the studies granted to them", async () => {
    const ids = granted.map(({ id }) => id);
    expect(await allPages(doctor, "")).toEqual(await sorted(ids, "studyDate", "desc"));
    expect(await allPages(doctor, "patientName=a")).toEqual(
      await sorted(
        granted.filter((row) => has(row.patientName, "a")).map(({ id }) => id),
        "studyDate",
        "desc",
      ),
    );
  });

  test("of an admin holds everyone's studies", async () => {
    const all = await t.sql<{ id: string }[]>`select id from studies`;
    expect((await page(admin, "limit=10")).total).toBe(all.length);
    const listed = await page(admin, "limit=1000&sort=patientName&order=asc");
    expect(listed.ids).toEqual(
      await sorted(
        all.map(({ id }) => id),
        "patientName",
        "asc",
      ),
    );
  });

  test("neither shows nor counts studies whose grant was withdrawn", async () => {
    const [row] = granted;
    const id = row?.id ?? "";
    const query = `patientID=${row?.patientID}`;
    const before = await page(colleague, query);
    expect(before.ids).toContain(id);
    await t.sql`delete from grants where study_id = ${id} and user_id = ${colleague.id}`;
    const after = await page(colleague, query);
    expect(after.ids).not.toContain(id);
    expect(after.total).toBe(before.total - 1);
    await t.sql`insert into grants (study_id, user_id, created_at) values (${id}, ${colleague.id}, now())`;
  });

  test("is empty after its last page, and still says how many studies there are", async () => {
    expect(await page(owner, `limit=10&offset=${OWN}`)).toEqual({ ids: [], total: OWN });
    expect(await page(owner, "limit=10&offset=9999999")).toEqual({ ids: [], total: OWN });
  });
});
