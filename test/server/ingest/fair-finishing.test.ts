import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ jobs: false });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

async function send(person: Person, study: string): Promise<void> {
  const tus = tusOf(t, person);
  const zip = sampleZip({ study });
  const url = await tus.begin(zip.length);
  expect((await tus.patch(url, 0, zip)).status).toBe(204);
}

test("the whole uploads of an account wait behind the first of another, and trial accounts share their places", async () => {
  const hostile = await t.addPerson("Muitos Envios", { plan: "clinica" });
  const honest = await t.addPerson("Um Envio", { plan: "profissional" });
  const trials = [
    await t.addPerson("Teste Um", { plan: "avaliacao" }),
    await t.addPerson("Teste Dois", { plan: "avaliacao" }),
  ];
  await t.sql`update users set is_trial = true where id in ${t.sql(trials.map(({ id }) => id))}`;
  for (let i = 1; i <= 10; i++) await send(hostile, `${i}`);
  await send(honest, "1");
  for (const trial of trials) await send(trial, "1");
  const waiting = await t.sql`
    select group_id, account_id from pgboss.job
    join resumable_uploads on resumable_uploads.id::text = data ->> 'uploadId'
    where name = 'uploads.finish' order by priority desc, created_on, pgboss.job.id`;
  const order = waiting.map(({ account_id }) => account_id);
  expect(order.slice(0, 4)).toEqual([hostile.id, honest.id, ...trials.map(({ id }) => id)]);
  expect(order.slice(4)).toEqual(Array.from({ length: 9 }, () => hostile.id));
  const groups = new Set(waiting.map(({ group_id }) => group_id));
  expect([...groups].sort()).toEqual([hostile.id, honest.id, "trial"].sort());
});
