import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { studyPopulation } from "../../../scripts/bench/study-population.ts";
import { studies } from "../../../src/server/features/studies/studies.table.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t[Symbol.asyncDispose]());

type App = Pick<TestApp, "app">;

async function total(person: Person, query = "", { app }: App = t): Promise<number> {
  const headers = { authorization: `Bearer ${person.token}` };
  const answer = await app.request(`/api/studies?limit=1&${query}`, { headers });
  expect(answer.status).toBe(200);
  return Number(answer.headers.get("x-total-count"));
}

async function examCount(person: Person): Promise<number> {
  const answer = await t.call("GET", "/api/users/exam-count", { as: person });
  return ((await answer.json()) as { count: number }).count;
}

/** Whether the tallies equal the studies in one snapshot of the database, for every account and modality. */
async function isExact(): Promise<boolean> {
  const wrong = await t.sql`
    select account_id, modality, sum(n) from (
      select account_id, modality, studies as n from study_tallies
      union all
      select account_id, coalesce(modality, ''), -count(*) from studies where removal_id is null group by 1, 2
    ) as both_counts group by 1, 2 having sum(n) <> 0`;
  return wrong.length === 0;
}

function population(person: Person, count: number) {
  return [...studyPopulation(person.id, count)];
}

test("counts are exact during and after fifty concurrent changes", async () => {
  const person = await t.addPerson("Muitos Ao Mesmo Tempo", { plan: "clinica" });
  const rows = population(person, 90);
  await t.deps.db.insert(studies).values(rows.slice(0, 40));
  let isOver = false;
  const looking = (async () => {
    for (let looks = 0; !isOver || looks < 5; looks++) expect(await isExact()).toBe(true);
  })();
  await Promise.all(
    rows.slice(0, 50).map(async (row, index) => {
      const id = row.id;
      if (index < 10) await t.deps.db.delete(studies).where(eq(studies.id, id));
      else if (index < 20) await t.deps.db.update(studies).set({ modality: "OT" }).where(eq(studies.id, id));
      else if (index < 25)
        await t.deps.db
          .transaction(async (tx) => {
            await tx.delete(studies).where(eq(studies.id, id));
            throw new Error("taken back");
          })
          .catch(() => {});
      else
        await t.deps.db.transaction(async (tx) => {
          await tx.insert(studies).values(rows[index + 40 - 25] as typeof row);
          await tx.execute(sql`select pg_sleep(0.02)`);
          if (index % 2) await tx.update(studies).set({ modality: "XC" }).where(eq(studies.id, id));
        });
    }),
  );
  isOver = true;
  await looking;
  expect(await total(person)).toBe(40 - 10 + 25);
  expect(await examCount(person)).toBe(40 - 10 + 25);
  const [others] =
    await t.sql`select count(*)::int as n from studies where account_id = ${person.id} and modality like '%OT%'`;
  expect(await total(person, "modality=OT")).toBe(others?.n);
}, 240_000);

test("concurrent uploads and deletions through the routes are counted exactly", async () => {
  const person = await t.addPerson("Envia E Apaga", { plan: "clinica" });
  await t.store(person, sampleZip({ study: "501" }, { study: "502" }, { study: "503" }));
  expect(await total(person, "description=a")).toBeNumber();
  const statuses = await Promise.all([
    ...["511", "512", "513", "514"].map(
      async (study) => (await t.upload(person, sampleZip({ study }))).status,
    ),
    ...["501", "502"].map(
      async (study) => (await t.call("DELETE", `/api/studies/${studyUID(study)}`, { as: person })).status,
    ),
  ]);
  expect(statuses).toEqual([201, 201, 201, 201, 200, 200]);
  expect(await total(person)).toBe(5);
  expect(await total(person, "patientID=p+001")).toBe(5);
  expect(await isExact()).toBe(true);
  await t.settle();
  expect(await isExact()).toBe(true);
}, 240_000);

test("another process's changes are in the next count, filtered or not", async () => {
  const person = await t.addPerson("Dois Processos", { plan: "clinica" });
  const rows = population(person, 30).map((row) => ({ ...row, patientNameFolded: "fulana de tal" }));
  await t.deps.db.insert(studies).values(rows.slice(0, 20));
  await using other = await t.startAgain();
  const filter = "patientName=fulana";
  for (const app of [t, other]) {
    expect(await total(person, "", app)).toBe(20);
    expect(await total(person, filter, app)).toBe(20);
  }
  const steps: [change: () => Promise<unknown>, all: number, found: number][] = [
    [() => t.deps.db.insert(studies).values(rows.slice(20)), 30, 30],
    [() => t.deps.db.delete(studies).where(eq(studies.id, rows[0]?.id ?? "")), 29, 29],
    [
      () =>
        t.deps.db
          .update(studies)
          .set({ patientNameFolded: "beltrano" })
          .where(eq(studies.id, rows[1]?.id ?? "")),
      29,
      28,
    ],
  ];
  for (const [change, all, found] of steps) {
    await change();
    for (const app of [other, t]) {
      expect(await total(person, filter, app)).toBe(found);
      expect(await total(person, "", app)).toBe(all);
    }
  }
}, 240_000);

test("an open transaction's studies are counted when it commits, though others changed meanwhile", async () => {
  const person = await t.addPerson("Um Depois Do Outro", { plan: "clinica" });
  const rows = population(person, 12).map((row) => ({ ...row, modality: "US", patientNameFolded: "x y" }));
  await t.deps.db.insert(studies).values(rows.slice(0, 5));
  const begun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const slow = t.deps.db.transaction(async (tx) => {
    await tx.insert(studies).values(rows.slice(5, 8));
    begun.resolve();
    await mayEnd.promise;
  });
  await begun.promise;
  await t.deps.db.insert(studies).values(rows.slice(8, 12));
  expect(await total(person)).toBe(9);
  expect(await total(person, "patientName=x")).toBe(9);
  mayEnd.resolve();
  await slow;
  expect(await total(person)).toBe(12);
  expect(await total(person, "patientName=x")).toBe(12);
  expect(await total(person, "modality=US")).toBe(12);
}, 240_000);

test("a change that no filter uses, such as a transfer to the store, keeps the cached counts", async () => {
  const person = await t.addPerson("Nada Mudou", { plan: "clinica" });
  const rows = population(person, 20);
  await t.deps.db.insert(studies).values(rows);
  const revision = async () =>
    (await t.sql`select id from study_tallies where account_id = ${person.id} order by id`).map(
      ({ id }) => id,
    );
  const before = await revision();
  await t.sql`update studies set storage_status = 'transferring', has_report = true, instance_count = 7
    where account_id = ${person.id}`;
  expect(await revision()).toEqual(before);
  await t.sql`update studies set description_folded = 'outra' where id = ${rows[0]?.id ?? ""}`;
  expect(await revision()).not.toEqual(before);
}, 240_000);

test("exams that a cancellation removed are not counted until it is undone", async () => {
  const person = await t.addPerson("Cancela Tudo", { plan: "clinica" });
  await t.deps.db.insert(studies).values(population(person, 50));
  const before = await total(person, "patientName=a");
  const removalId = Bun.randomUUIDv7();
  await t.sql`insert into removals (id, user_id, reason, created_at, purge_after, study_count, lab_exam_count, plan_id)
    select ${removalId}, ${person.id}, 'cancelled', now(), now(), 50, 0, plan_id from subscriptions where user_id = ${person.id}`;
  await t.sql`update studies set removal_id = ${removalId} where account_id = ${person.id}`;
  expect(await total(person)).toBe(0);
  expect(await total(person, "patientName=a")).toBe(0);
  expect(await examCount(person)).toBe(0);
  await t.sql`update studies set removal_id = null where account_id = ${person.id}`;
  expect(await total(person)).toBe(50);
  expect(await total(person, "patientName=a")).toBe(before);
  expect(await isExact()).toBe(true);
}, 240_000);

test("a deleted account leaves nothing behind in the counts, while another one uploads", async () => {
  const leaving = await t.addPerson("Vai Embora", { plan: "clinica" });
  const staying = await t.addPerson("Fica Aqui", { plan: "clinica" });
  const admin = await t.addPerson("Quem Apaga", { role: "admin" });
  await t.deps.db.insert(studies).values(population(leaving, 300));
  await t.deps.db.insert(studies).values(population(staying, 30));
  const everything = await total(admin);
  const [deleted] = await Promise.all([
    t.call("DELETE", `/api/users/${leaving.id}`, { as: admin }),
    ...population(staying, 40)
      .slice(30)
      .map((row) => t.deps.db.insert(studies).values(row)),
  ]);
  expect(deleted.status).toBeLessThan(300);
  expect(await total(staying)).toBe(40);
  expect(await total(admin)).toBe(everything - 300 + 10);
  expect(await t.sql`select from study_tallies where account_id = ${leaving.id}`).toHaveLength(0);
  expect(await isExact()).toBe(true);
}, 240_000);

test("a study with an extremely long name, description or modality is kept and listed", async () => {
  const person = await t.addPerson("Disco Estranho", { plan: "clinica" });
  const endless = Array.from({ length: 900 }, (_, index) => (index * 7919).toString(36)).join("");
  await t.store(
    person,
    sampleZip({
      study: "601",
      elements: {
        [TagHex.PatientName]: { vr: "PN", Value: [{ Alphabetic: endless }] },
        [TagHex.StudyDescription]: { vr: "LO", Value: [endless] },
        [TagHex.Modality]: { vr: "CS", Value: [endless] },
      },
    }),
  );
  expect(await total(person, `patientName=${endless.slice(10, 40)}&sort=patientName`)).toBe(1);
  expect(await total(person, "sort=studyDescription")).toBe(1);
  expect(await total(person, "sort=modality")).toBe(1);
}, 240_000);
