import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tryCountAction } from "../../../src/server/features/subscriptions/subscriptions.repo.ts";
import type { UsageItem, UsageStats } from "../../../src/shared/api/subscriptions.ts";
import { timeOfUuid } from "../../../src/shared/uuid.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let person: Person;
let studyId: string;
beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Usa o Plano", { plan: "avaliacao" });
  const { studies } = await t.store(person, sampleZip({ study: "1" }));
  studyId = studies[0]?.id ?? "";
});
afterAll(() => t[Symbol.asyncDispose]());

const download = (language = "en-US") =>
  t.call("GET", `/api/studies/${studyId}/download`, { as: person, headers: { "accept-language": language } });
const readAs = async <Answer>(as: Person, path: string) =>
  (await (await t.call("GET", `/api/subscriptions/${path}`, { as })).json()) as Answer;

describe("a plan's usage", () => {
  test("is shown in numbers and as the person's own activities, newest first", async () => {
    await (await download()).arrayBuffer();
    expect(await readAs<UsageStats>(person, "usage-stats")).toMatchObject({
      currentExamCount: 1,
      examLimit: 2,
      examsRemaining: 1,
      examUsagePercentage: 50,
      totalActionsThisMonth: 1,
      actionLimit: 10,
      actionsRemaining: 9,
      actionUsagePercentage: 10,
      downloadsThisMonth: 1,
      deletesThisMonth: 0,
    });
    const history = await readAs<UsageItem[]>(person, "usage-history?limit=50");
    expect(history.map(({ actionType, studyInstanceUID }) => [actionType, studyInstanceUID])).toEqual([
      ["download", studyUID("1")],
      ["upload", studyUID("1")],
    ]);
    expect(history[0]?.study).toMatchObject({ id: studyId });
    for (const { id, timestamp } of history) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(timeOfUuid(id)).toEqual(new Date(timestamp));
    }
    expect(new Set(history.map(({ id }) => id)).size).toBe(2);
    expect(await readAs<UsageItem[]>(person, "usage-history?limit=1")).toEqual(history.slice(0, 1));
    const other = await t.addPerson("Outra Pessoa");
    expect(await readAs<UsageItem[]>(other, "usage-history?limit=50")).toEqual([]);
  });

  test("names the exams that the person still sees, their own and shared ones, and no others", async () => {
    const owner = await t.addPerson("Dona dos Exames", { plan: "clinica" });
    const { studies } = await t.store(owner, sampleZip({ study: "71" }, { study: "72" }));
    const [kept, deleted] = studies.map(({ id }) => id);
    await t.call("POST", `/api/studies/${kept}/assign`, { as: owner, json: { userId: person.id } });
    await (await t.call("GET", `/api/studies/${kept}/download`, { as: person })).arrayBuffer();
    await t.call("DELETE", `/api/studies/${deleted}`, { as: owner });
    const studiesOf = async (as: Person) =>
      (await readAs<UsageItem[]>(as, "usage-history")).map(({ actionType, study }) => [
        actionType,
        study?.id ?? null,
      ]);
    expect(await studiesOf(owner)).toEqual([
      ["delete", null],
      ["upload", null],
      ["upload", kept ?? ""],
    ]);
    expect((await studiesOf(person))[0]).toEqual(["download", kept ?? ""]);
    await t.call("DELETE", `/api/studies/${kept}/grants/${person.id}`, { as: owner });
    expect((await studiesOf(person))[0]).toEqual(["download", null]);
  });

  test("at the limit of the month is refused in the contract's words, in the caller's language", async () => {
    await t.sql`update subscriptions set downloads = 4, deletes = 6 where user_id = ${person.id}`;
    for (const [language, message] of [
      ["pt-BR", "Limite mensal de ações atingido"],
      ["en-US", "Monthly action limit reached"],
    ] as const) {
      const answer = await download(language);
      expect([answer.status, (await problemOf(answer)).message]).toEqual([403, message]);
    }
    const refused = await t.call("DELETE", `/api/studies/${studyId}`, { as: person });
    expect((await problemOf(refused)).code).toBe("quota.actions");
  });

  test("starts over after thirty days of 24 hours, whatever the database's time zone does meanwhile", async () => {
    const { id } = await t.addPerson("Hora de Verão", { plan: "avaliacao" });
    await t.sql`update subscriptions set downloads = 10, last_reset_date = '2027-02-20T12:00:00Z' where user_id = ${id}`;
    const count = (at: string) =>
      t.deps.db.transaction(async (tx) => {
        await tx.execute("set local time zone 'America/New_York'");
        return await tryCountAction(tx, id, { exam: "imaging", kind: "download" }, new Date(at));
      });
    expect(await count("2027-03-22T11:30:00Z")).toBe(false);
    expect(await count("2027-03-22T12:00:00Z")).toBe(true);
    const [row] = await t.sql`select downloads, last_reset_date from subscriptions where user_id = ${id}`;
    expect(row?.downloads).toBe(1);
    expect(new Date(String(row?.last_reset_date))).toEqual(new Date("2027-03-22T12:00:00Z"));
  });
});
