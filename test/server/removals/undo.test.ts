import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { listOpenRemovals } from "../../../src/server/features/removals/list-open-removals.ts";
import { purgeRemovals } from "../../../src/server/features/removals/purge-removals.ts";
import { undoRemoval } from "../../../src/server/features/removals/undo-removal.ts";
import type { Removal, Subscription, UndoneRemoval } from "../../../src/shared/api/subscriptions.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";
import {
  addEndlessSubscription,
  addLabExam,
  addPaidPeriod,
  cancel,
  DAY_MS,
  digestOf,
  fillAccount,
  GRACE_MS,
  listedTo,
  mailsTo,
  newStudyNumber,
  origin,
  removalOf,
  signInAgain,
} from "./filled-account.ts";

setDefaultTimeout(240_000);

let t: TestApp;
let admin: Person;
beforeAll(async () => {
  t = await createTestApp();
  admin = await t.addPerson("Administradora", { role: "admin", plan: null });
});
afterAll(() => t[Symbol.asyncDispose]());

const get = (as: Person, path: string) => t.call("GET", path, { as });
const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T;
const mine = (person: Person) => json<Subscription>(get(person, "/api/subscriptions/my-subscription"));

async function undo(person: Person): Promise<UndoneRemoval> {
  return await undoRemoval(t.deps, { userId: admin.id }, (await removalOf(t, person)).id, origin);
}
const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => "done",
    (error) => error.kind?.code ?? error,
  );
const lastMailTo = async (person: Person) => (await mailsTo(t, person)).at(-1);

describe("undoing a cancellation", () => {
  test("brings everything back bit for bit, for the owner and for the people they shared it with", async () => {
    const { owner, doctor, relative, studyIds, labId } = await fillAccount(t, "Volta Atrás");
    const [studyId = ""] = studyIds;
    const files = [
      ...studyIds.map((id) => `/api/studies/${id}/download`),
      `/api/studies/laudo/${studyId}`,
      `/api/exams-lab/${labId}/view`,
      `/api/studies/${studyId}/thumbnail`,
    ];
    const digests = async () => {
      const answers = await Promise.all(files.map((path) => get(owner, path)));
      for (const answer of answers) expect(answer.status).toBe(200);
      return await Promise.all(answers.map(digestOf));
    };
    const stateOf = (person: Person) => json(get(person, "/api/studies"));
    const before = {
      files: await digests(),
      lists: await Promise.all([owner, doctor, relative].map(stateOf)),
      grants: await json(get(owner, `/api/studies/${studyId}/grants`)),
      subscription: await mine(owner),
    };
    await cancel(t, owner);
    t.advance(71 * 3600_000);
    await purgeRemovals(t.deps);
    await signInAgain(t, admin, owner, doctor, relative);
    const open = await json<Removal[]>(get(admin, "/api/subscriptions/removals"));
    const removal = open.find(({ user }) => user.id === owner.id);
    expect(removal).toMatchObject({ reason: "cancelled", studyCount: 2, labExamCount: 1 });
    const undone = await t.call("POST", `/api/subscriptions/removals/${removal?.id}/undo`, { as: admin });
    expect(await undone.json()).toEqual({ studies: 2, labExams: 1, skippedStudies: 0 });
    expect(await digests()).toEqual(before.files);
    expect(await Promise.all([owner, doctor, relative].map(stateOf))).toEqual(before.lists);
    expect(await json(get(owner, `/api/studies/${studyId}/grants`))).toEqual(before.grants);
    const after = await mine(owner);
    expect(after).toMatchObject({
      status: "active",
      currentExamCount: 2,
      expiresAt: null,
      removedUntil: null,
    });
    expect(after.plan).toEqual(before.subscription.plan);
    expect((await listOpenRemovals(t.deps)).map(({ user }) => user.id)).not.toContain(owner.id);
    const mail = await lastMailTo(owner);
    expect(mail?.subject).toBe("Your exams are back");
    expect(mail?.text).toContain("2 imaging exams and 1 lab exam");
    expect(mail?.text).toContain("Your subscription is active.");
    const audit = await t.sql`select actor_id from audit_events
      where account_id = ${owner.id} and action = 'exams.restored'`;
    expect([...audit]).toEqual([{ actor_id: admin.id }]);
    // The restored exams stay, also after the grace time would have ended.
    t.advance(DAY_MS);
    await purgeRemovals(t.deps);
    await t.settle();
    for (const id of studyIds) {
      const [row] = await t.sql`select count(*)::int as rows from studies where id = ${id}`;
      expect(row).toEqual({ rows: 1 });
    }
  });

  test("leaves out a study that was sent again meanwhile, and purges the old copy when its time is over", async () => {
    const owner = await t.addPerson("Manda de Novo", { plan: "familia" });
    const [twice, once] = [newStudyNumber(), newStudyNumber()];
    const old = await t.store(owner, sampleZip({ study: twice }, { study: once }));
    await cancel(t, owner);
    await addEndlessSubscription(t, owner, "essencial");
    const fresh = await t.store(owner, sampleZip({ study: twice, sop: "9" }));
    const oldTwice = old.studies[0]?.id ?? "";
    const keys = await t.sql`select key from stored_objects where study_id = ${oldTwice}`;
    expect(await undo(owner)).toEqual({ studies: 1, labExams: 0, skippedStudies: 1 });
    expect((await listedTo(t, owner)).sort()).toEqual(
      [old.studies[1]?.id ?? "", fresh.studies[0]?.id ?? ""].sort(),
    );
    const now = await mine(owner);
    expect([now.plan.name, now.currentExamCount]).toEqual(["Essencial", 2]);
    expect((await lastMailTo(owner))?.text).toContain("1 imaging exam was left out");
    for (const { key } of keys) expect(await t.deps.store.stat(key)).toBeDefined();
    t.advance(GRACE_MS + 1000);
    await purgeRemovals(t.deps);
    await t.settle();
    for (const { key } of keys) expect(await t.deps.store.stat(key)).toBeUndefined();
    const left = await t.sql`select id from studies where account_id = ${owner.id} order by id`;
    expect(left.map(({ id }) => id)).toEqual([old.studies[1]?.id ?? "", fresh.studies[0]?.id ?? ""].sort());
  });

  test("gives plan, end and paid periods back; an end that has passed meanwhile stays passed", async () => {
    const owner = await t.addPerson("Paga Adiante");
    const now = t.deps.clock.now();
    const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS);
    const at = (days: number) => inDays(days).toISOString();
    const periods = [
      { start: -40, end: -10 },
      { start: -10, end: 20 },
      { start: 20, end: 50 },
    ];
    for (const { start, end } of periods) {
      await addPaidPeriod(t, owner, { plan: "familia", start: inDays(start), end: inDays(end) });
    }
    const [plan] = await t.sql`select id from plans where slug = 'familia'`;
    await t.sql`update subscriptions set plan_id = ${plan?.id}, expires_at = ${at(50)} where user_id = ${owner.id}`;
    const periodsNow = async () =>
      [
        ...(await t.sql`select period_start, period_end from payments where user_id = ${owner.id} order by period_start`),
      ].map((row) => ({
        start: Math.round((Date.parse(row.period_start) - now.getTime()) / DAY_MS),
        end: Math.round((Date.parse(row.period_end) - now.getTime()) / DAY_MS),
      }));
    await cancel(t, owner);
    expect(await periodsNow()).toEqual([
      { start: -40, end: -10 },
      { start: -10, end: 0 },
      { start: 20, end: 20 },
    ]);
    await undo(owner);
    expect(await periodsNow()).toEqual(periods);
    expect(await mine(owner)).toMatchObject({ status: "active", expiresAt: at(50) });
    expect((await lastMailTo(owner))?.subject).toBe("The cancellation was undone");

    await t.sql`update subscriptions set expires_at = ${at(1)} where user_id = ${owner.id}`;
    await cancel(t, owner);
    t.advance(2 * DAY_MS);
    await undo(owner);
    const [row] = await t.sql`select expires_at from subscriptions where user_id = ${owner.id}`;
    expect(Date.parse(row?.expires_at as string)).toBe(Date.parse(at(1)));
  });

  test("does not give back time that was refunded meanwhile", async () => {
    const owner = await t.addPerson("Recebe de Volta");
    const end = new Date(t.deps.clock.now().getTime() + 20 * DAY_MS);
    const start = new Date(end.getTime() - 30 * DAY_MS);
    const id = await addPaidPeriod(t, owner, { plan: "essencial", start, end });
    await t.sql`update subscriptions set expires_at = ${end.toISOString()} where user_id = ${owner.id}`;
    const { expiresAt } = await cancel(t, owner);
    await t.sql`update payments set status = 'refunded', refunded_at = ${t.deps.clock.now().toISOString()} where id = ${id}`;
    await undo(owner);
    const [row] = await t.sql`select expires_at from subscriptions where user_id = ${owner.id}`;
    expect(Date.parse(row?.expires_at as string)).toBe(Date.parse(expiresAt ?? ""));
  });

  test("counts once, however often it is clicked, and never meets a purge half-way", async () => {
    const { owner } = await fillAccount(t, "Clica Duas Vezes");
    await cancel(t, owner);
    const codes = await Promise.all([undo(owner), undo(owner), undo(owner)].map(codeOf));
    expect(codes.sort()).toEqual(["done", "removal.over", "removal.over"]);
    expect((await mine(owner)).currentExamCount).toBe(2);

    await cancel(t, owner);
    t.advance(GRACE_MS + 1000);
    const [undone] = await Promise.all([codeOf(undo(owner)), purgeRemovals(t.deps), purgeRemovals(t.deps)]);
    const [left] = await t.sql`select count(*)::int as studies from studies where account_id = ${owner.id}`;
    const [counted] = await t.sql`select exam_count from subscriptions where user_id = ${owner.id}`;
    expect([left?.studies, counted?.exam_count]).toEqual(undone === "done" ? [2, 2] : [0, 0]);
  });

  test("is refused once the exams are purged, and if none were removed", async () => {
    const owner = await t.addPerson("Tarde Demais");
    await addLabExam(t, owner);
    await cancel(t, owner);
    t.advance(GRACE_MS + 1000);
    await purgeRemovals(t.deps);
    expect(await codeOf(undo(owner))).toBe("removal.over");
    const nothing = undoRemoval(t.deps, { userId: admin.id }, Bun.randomUUIDv7(), origin);
    expect(await codeOf(nothing)).toBe("removal.not_found");
  });
});
