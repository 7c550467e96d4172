import { afterAll, beforeAll, expect, test } from "bun:test";
import { studyPopulation } from "../../../scripts/bench/study-population.ts";
import { studies } from "../../../src/server/features/studies/studies.table.ts";
import { keepNameGroups } from "../../../src/server/features/studies/study-attributes.repo.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";

let t: TestApp;
let owner: Person;
let doctor: Person;
let ids: string[];

beforeAll(async () => {
  t = await createTestApp({ jobs: false });
  owner = await t.addPerson("Paciente", { plan: "clinica" });
  doctor = await t.addPerson("Doutora Souza", { role: "doctor", plan: null });
  const rows = [...studyPopulation(owner.id, 3)].map((row) => ({ ...row, patientNameTries: 0 }));
  await t.deps.db.insert(studies).values(rows);
  ids = rows.map(({ id }) => id);
  for (const id of ids) await grant(id);
});
afterAll(() => t[Symbol.asyncDispose]());

async function grant(id: string): Promise<void> {
  await t.sql`insert into grants (study_id, user_id, created_at) values (${id}, ${doctor.id}, now())`;
}

async function totals(query: string): Promise<number[]> {
  const answers = [owner, doctor].map((as) => t.call("GET", `/api/studies?limit=10&${query}`, { as }));
  return (await Promise.all(answers)).map((answer) => Number(answer.headers.get("x-total-count")));
}

test("a name in other letters finds an exam once it has been read, however often it was looked for before", async () => {
  const queries = ["search=山田", "patientName=山田"];
  for (const query of queries) expect(await totals(query)).toEqual([0, 0]);
  const name = { "00100010": { vr: "PN", Value: [{ Alphabetic: "Yamada", Ideographic: "山田" }] } } as const;
  const attributes = { name, others: {} } as never;
  await keepNameGroups(t.deps.db, ids[0] as string, { attributes, groups: "yamada=山田" });
  for (const query of queries) expect(await totals(query)).toEqual([1, 1]);
});

test("a withdrawn grant is gone from the next page and count, on another node too", async () => {
  await using other = await t.startAgain();
  const query = "/api/studies?limit=10&startDate=1900-01-01";
  const headers = { authorization: `Bearer ${doctor.token}` };
  const seenBy = async (app: Pick<TestApp, "app">) => {
    const answer = await app.app.request(query, { headers });
    const rows = (await answer.json()) as { id: string }[];
    return [rows.map(({ id }) => id).toSorted(), Number(answer.headers.get("x-total-count"))];
  };
  const all = [ids.toSorted(), 3];
  expect([await seenBy(t), await seenBy(other)]).toEqual([all, all]);
  const [withdrawn, ...rest] = ids as [string, ...string[]];
  expect(
    (await t.call("DELETE", `/api/studies/${withdrawn}/grants/${doctor.id}`, { as: owner })).status,
  ).toBe(204);
  const left = [rest.toSorted(), 2];
  expect([await seenBy(other), await seenBy(t)]).toEqual([left, left]);
});
