import { sampleZip } from "../zip/sample-zip.ts";
import type { Person, TestApp } from "./test-app.ts";

/** Puts somebody on a plan of their own that holds `bytes`. */
export async function limitStorage(t: TestApp, person: Person, bytes: number): Promise<void> {
  await t.sql`with own as (
      insert into plans (id, slug, name, price_cents, exam_limit, download_delete_limit, storage_bytes, is_offered)
      values (gen_random_uuid(), ${Bun.randomUUIDv7()}, 'Sob medida', 0, 1000, 1000, ${Math.round(bytes)}, false) returning id)
    update subscriptions set plan_id = own.id from own where user_id = ${person.id}`;
}

/** Has the program count `bytes` more for an account, as if it kept so much. */
export async function setStoredBytes(t: TestApp, accountId: string, bytes: number): Promise<void> {
  await t.sql`insert into storage_tallies values (gen_random_uuid(), ${accountId}, ${Math.round(bytes)})`;
}

/** The bytes that the program counts for an account. */
export async function countedBytes(t: TestApp, accountId: string): Promise<number> {
  const [row] = await t.sql<{ bytes: string }[]>`
    select coalesce(sum(bytes), 0) as bytes from storage_tallies where account_id = ${accountId}`;
  return Number(row?.bytes);
}

/** The bytes of an account, summed over the rows of all its objects. */
export async function keptBytes(t: TestApp, accountId: string): Promise<number> {
  const [row] = await t.sql<{ bytes: string }[]>`
    select coalesce(sum(bytes), 0) as bytes from (
      select stored_objects.size_bytes as bytes from stored_objects join studies on studies.id = study_id
      where account_id = ${accountId} and removal_id is null
      union all
      select size_bytes from lab_exams where account_id = ${accountId} and removal_id is null) as kept`;
  return Number(row?.bytes);
}

/** The most bytes that one small study takes at rest. */
export async function sizeOfStudy(t: TestApp): Promise<number> {
  const person = await t.addPerson("Mede Estudo", { plan: "clinica" });
  await t.store(person, sampleZip({ study: "9999" }));
  return await countedBytes(t, person.id);
}
