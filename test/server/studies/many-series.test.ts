import { afterAll, beforeAll, expect, test } from "bun:test";
import { listSeriesInScope, type Scope } from "../../../src/server/features/dicomweb/dicomweb.repo.ts";
import type { Series } from "../../../src/shared/api/studies.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp();
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

/** Gives a study further series, as an upload with very many would. */
async function addSeries(studyId: string, count: number): Promise<void> {
  const columns = await t.sql<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_name = 'series' and is_generated = 'NEVER'`;
  const names = columns.map(({ name }) => `"${name}"`);
  const values = columns.map(({ name }) =>
    name === "id" ? "gen_random_uuid()" : name === "series_instance_uid" ? "'2.25.9.' || n" : `"${name}"`,
  );
  await t.sql.unsafe(`insert into series (${names}) select ${values} from series
    cross join generate_series(1, ${count}) as n where study_id = '${studyId}'`);
}

test("a study of very many series lists the first 10,000", async () => {
  const owner = await t.addPerson("Dona", { plan: "clinica" });
  const { studies } = await t.store(owner, sampleZip({ study: "1" }));
  const id = studies[0]?.id ?? "";
  await addSeries(id, 10_010);
  const answer = await t.call("GET", `/api/studies/${id}/series`, { as: owner });
  expect(answer.status).toBe(200);
  expect((await answer.json()) as Series[]).toHaveLength(10_000);
  const scope: Scope = { caller: { userId: owner.id, role: "user" }, studyIds: [id] };
  expect(await listSeriesInScope(t.deps.db, scope, studyUID("1"))).toHaveLength(10_000);
});
