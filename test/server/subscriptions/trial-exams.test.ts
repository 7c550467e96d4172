import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTrialReading } from "../../../src/server/features/subscriptions/trial-exams.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { until } from "../../support/until.ts";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t[Symbol.asyncDispose]());

test("the entry page knows how many exams a trial allows, also after an admin changed its plan", async () => {
  const admin = await t.addPerson("Administra Tudo", { role: "admin", plan: null });
  const read = createTrialReading(t.deps);
  expect(await read()).toBe(2);
  const [plan] = await t.sql<{ id: string }[]>`select id from plans where slug = 'avaliacao'`;
  const path = `/api/subscriptions/plans/${plan?.id}`;
  expect((await t.call("PATCH", path, { as: admin, json: { examLimit: 1 } })).status).toBe(200);
  await until(async () => (await read()) === 1);
});
