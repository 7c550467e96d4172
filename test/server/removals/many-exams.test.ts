import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { undoRemoval } from "../../../src/server/features/removals/undo-removal.ts";
import { countedBytes, keptBytes } from "../../support/app/storage-quota.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { cancel, origin, removalOf } from "./filled-account.ts";

setDefaultTimeout(240_000);

const STUDIES = 2_100;
const LAB_EXAMS = 300;
/** How many studies one statement may change: at some tens of thousands it would run out of time. */
const MOST_AT_ONCE = 1_000;

let t: TestApp;
let admin: Person;
beforeAll(async () => {
  t = await createTestApp();
  admin = await t.addPerson("Administradora", { role: "admin", plan: null });
  // Writes down how many rows each statement changes.
  await t.sql.unsafe(`
    create table changes (of_table text, studies bigint);
    create function note_change() returns trigger language plpgsql as $$
    begin
      insert into changes select TG_TABLE_NAME, count(*) from removed having count(*) > 0;
      return null;
    end $$;
    create trigger note_update after update on studies referencing old table as removed
      for each statement execute function note_change();
    create trigger note_delete after delete on studies referencing old table as removed
      for each statement execute function note_change();
    create trigger note_tally after delete on storage_tallies referencing old table as removed
      for each statement execute function note_change();
    create trigger note_audit after update on audit_events referencing old table as removed
      for each statement execute function note_change();`);
});
afterAll(() => t[Symbol.asyncDispose]());

async function addPersonWithMany(name: string): Promise<Person> {
  const person = await t.addPerson(name, { plan: "clinica" });
  await t.sql`insert into studies (id, account_id, study_instance_uid, series_count, instance_count, size_bytes,
      storage_status, attributes, labelled, patient_name_tries, study_time_tries, created_at)
    select gen_random_uuid(), ${person.id}, '1.2.' || n, 1, 1, 0, 'b2', '{}', true, null, null, now()
    from generate_series(1, ${STUDIES}) n`;
  await t.sql`insert into stored_objects (id, study_id, upload_id, kind, key, size_bytes, sha256, location, created_at)
    select gen_random_uuid(), id, id, kind::stored_object_kind, id || kind, 1000, '', 'archive', now()
    from studies, unnest(array['volume', 'manifest']) kind where account_id = ${person.id}`;
  await t.sql`insert into lab_exams (id, account_id, name, modality, key, size_bytes, sha256, created_at)
    select gen_random_uuid(), ${person.id}, 'Hemograma', 'LAB', ${person.id} || n, 10, '', now()
    from generate_series(1, ${LAB_EXAMS}) n`;
  await t.sql`delete from changes`;
  return person;
}

/** The most rows that one statement changed in a table since the last call, all of them together, and how often it was changed. */
async function changesOf(table: "studies" | "storage_tallies" | "audit_events") {
  const [row] = await t.sql<{ most: number; all: number; times: number }[]>`
    select max(studies)::int as most, sum(studies)::int as all, count(*)::int as times from changes
    where of_table = ${table}`;
  await t.sql`delete from changes where of_table = ${table}`;
  return row ?? { most: 0, all: 0, times: 0 };
}

async function expectInPieces(person: Person): Promise<void> {
  const studies = await changesOf("studies");
  expect(studies.all).toBe(STUDIES);
  expect(studies.most).toBeLessThanOrEqual(MOST_AT_ONCE);
  // Once for each statement, not once for each exam: every tally walks over what earlier ones of its transaction left.
  expect((await changesOf("storage_tallies")).times).toBeLessThan(10);
  expect(await countedBytes(t, person.id)).toBe(await keptBytes(t, person.id));
}

test("an account of any size is cancelled and brought back in statements of bounded size", async () => {
  const person = await addPersonWithMany("Cancela Muitos");
  await cancel(t, person);
  await expectInPieces(person);
  expect(await countedBytes(t, person.id)).toBe(0);
  const removal = await removalOf(t, person);
  expect(removal).toMatchObject({ study_count: STUDIES, lab_exam_count: LAB_EXAMS });

  expect(await undoRemoval(t.deps, { userId: admin.id }, removal.id, origin)).toMatchObject({
    studies: STUDIES,
    labExams: LAB_EXAMS,
    skippedStudies: 0,
  });
  await expectInPieces(person);
  expect(await countedBytes(t, person.id)).toBe(STUDIES * 2000 + LAB_EXAMS * 10);
});

test("an account of any size is deleted in statements of bounded size, and leaves nothing", async () => {
  const person = await addPersonWithMany("Apaga Muitos");
  const answer = await t.call("POST", "/api/users/delete-own", {
    as: person,
    json: { password: person.password },
  });
  expect(answer.status).toBe(200);
  await expectInPieces(person);
  for (const table of ["studies", "study_tallies", "storage_tallies", "lab_exams"])
    expect([...(await t.sql.unsafe(`select 1 from ${table} where account_id = '${person.id}'`))]).toEqual([]);
});

test("an account with any number of recorded acts is deleted in statements and transactions of bounded size", async () => {
  const person = await t.addPerson("Muitos Atos");
  const acts = 25_000;
  await t.sql`
    insert into audit_events (action, account_id, actor_id, at, study_instance_uid, details)
    select case when n % 2 = 0 then 'study.uploaded' else 'study.viewed' end, ${person.id}::uuid, ${person.id}::uuid, now(),
      '1.2.' || n, '{"typed": "a name"}' from generate_series(1, ${acts}::int) n`;
  await t.sql`delete from changes`;
  expect((await t.call("DELETE", `/api/users/${person.id}`, { as: admin })).status).toBe(200);
  await t.settle();
  const { most, all, times } = await changesOf("audit_events");
  expect(all).toBe(acts);
  expect(most).toBe(2_000);
  const [{ transactions } = { transactions: 0 }] = await t.sql<{ transactions: number }[]>`
    select count(distinct xmin::text)::int as transactions from audit_events where account_id = ${person.id} and study_id is null
      and action like 'study.%'`;
  // Nobody waits behind more than the first ones for the account's locks.
  expect(transactions).toBe(times);
  const [left] = await t.sql`
    select count(study_instance_uid)::int as uids, count(details) filter (where action = 'study.uploaded')::int as typed,
      count(details) filter (where action = 'study.viewed')::int as other
    from audit_events where account_id = ${person.id}`;
  expect(left).toMatchObject({ uids: 0, typed: 0, other: acts / 2 });
});
