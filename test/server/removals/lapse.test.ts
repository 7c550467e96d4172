import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readSubscription } from "../../../src/server/features/overview/read-subscription.ts";
import { nextLapseStep, type WarningDays } from "../../../src/server/features/removals/lapse-schedule.ts";
import { purgeRemovals } from "../../../src/server/features/removals/purge-removals.ts";
import { removeLapsed } from "../../../src/server/features/removals/remove-lapsed.ts";
import { undoRemoval } from "../../../src/server/features/removals/undo-removal.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { untilLockWaits } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";
import {
  addLabExam,
  DAY_MS,
  GRACE_MS,
  HOUR_MS,
  keysOf,
  mailsTo,
  newStudyNumber,
  origin,
  removalOf,
} from "./filled-account.ts";

setDefaultTimeout(240_000);

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t[Symbol.asyncDispose]());

const subjectsTo = async (person: Person) => (await mailsTo(t, person)).map(({ subject }) => subject);

/** Somebody with a lab exam whose subscription ends `days` from now. */
async function endingIn(
  days: number,
  name: string,
  options?: Parameters<TestApp["addPerson"]>[1],
): Promise<{ person: Person; endsAt: Date }> {
  const person = await t.addPerson(name, options);
  await addLabExam(t, person);
  return { person, endsAt: await endIn(person, days) };
}

async function endIn(person: Person, days: number): Promise<Date> {
  const endsAt = new Date(t.deps.clock.now().getTime() + days * DAY_MS);
  await t.sql`update subscriptions set expires_at = ${endsAt.toISOString()} where user_id = ${person.id}`;
  return endsAt;
}

const labsOf = async (person: Person) => {
  const [row] = await t.sql`select count(*)::int as kept from lab_exams
    where account_id = ${person.id} and removal_id is null`;
  return row?.kept as number;
};
const brazil = (at: Date) =>
  new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "America/Sao_Paulo" }).format(at);

describe("a year without renewal", () => {
  test("brings warnings 30, 7 and 1 days before, then removes the exams, which can be undone for 72 hours", async () => {
    const { person, endsAt } = await endingIn(0, "Um Ano");
    const { studies } = await storeExam(person);
    const keys = await keysOf(t, person);
    const run = async (afterDays: number) => {
      const ahead = endsAt.getTime() + afterDays * DAY_MS + 60_000 - t.deps.clock.now().getTime();
      t.advance(ahead);
      await Promise.all([removeLapsed(t.deps), removeLapsed(t.deps)]);
      return (await subjectsTo(person)).length;
    };
    expect([await run(1), await run(334)]).toEqual([0, 0]);
    expect([await run(335), await run(336), await run(357)]).toEqual([1, 1, 1]);
    expect([await run(358), await run(363)]).toEqual([2, 2]);
    expect(await run(364)).toBe(3);
    expect([await run(364.9), await labsOf(person)]).toEqual([3, 1]);
    const removalAt = new Date(endsAt.getTime() + 365 * DAY_MS);
    const mails = await mailsTo(t, person);
    expect(mails.map(({ subject }) => subject)).toEqual(
      Array(3).fill(`Your exams will be deleted on ${brazil(removalAt)}`),
    );
    expect(mails[1]?.text).toContain(`ended on ${brazil(endsAt)} and was not renewed`);
    for (const [i, days] of ["In 30 days", "In 7 days", "In 1 day,"].entries()) {
      expect(mails[i]?.text).toContain(days);
      expect(mails[i]?.text).toContain("1 imaging exam and 1 lab exam, with their reports");
      expect(mails[i]?.text).toContain(`${t.deps.config.publicUrl}/his/subscription`);
    }

    expect([await run(365.1), await labsOf(person)]).toEqual([4, 0]);
    const removed = (await mailsTo(t, person)).at(-1);
    expect(removed?.subject).toBe("Your exams were removed");
    expect(removed?.text).toContain("we can bring everything back");
    for (const key of keys) expect(await t.deps.store.stat(key)).toBeDefined();
    expect(await run(366)).toBe(4);
    t.advance(GRACE_MS);
    await purgeRemovals(t.deps);
    await t.settle();
    for (const key of keys) expect(await t.deps.store.stat(key)).toBeUndefined();
    expect(studies).toHaveLength(1);
    expect(await run(800)).toBe(4);
  });

  test("is told ahead: the subscription says until when the exams are kept, also after late warnings", async () => {
    const keptUntil = async (person: Person) => (await readSubscription(t.deps, person.id)).keptUntil;
    const { person, endsAt } = await endingIn(1, "Sabe Até Quando");
    expect(await keptUntil(person)).toBeNull();
    t.advance(2 * DAY_MS);
    expect(await keptUntil(person)).toBe(new Date(endsAt.getTime() + 365 * DAY_MS).toISOString());
    const { person: late } = await endingIn(-700, "Avisada Tarde");
    await removeLapsed(t.deps);
    t.advance(DAY_MS);
    const left = Date.parse((await keptUntil(late)) ?? "") - t.deps.clock.now().getTime();
    expect(Math.round(left / HOUR_MS)).toBe(29 * 24);
    const without = await t.addPerson("Sem Exames");
    await endIn(without, -1);
    expect(await keptUntil(without)).toBeNull();
    const { person: guest } = await endingIn(-1, "Cortesia Vencida", { plan: "cortesia" });
    expect(await keptUntil(guest)).toBeNull();
  });

  test("warns first and removes later when the server was off for long", async () => {
    const { person } = await endingIn(-700, "Ficou Desligado");
    const days = async (count: number) => {
      t.advance(count * DAY_MS + 60_000);
      await removeLapsed(t.deps);
      return [(await subjectsTo(person)).length, await labsOf(person)];
    };
    expect(await days(0)).toEqual([1, 1]);
    expect(await days(0)).toEqual([1, 1]);
    expect(await days(22)).toEqual([1, 1]);
    expect(await days(1)).toEqual([2, 1]);
    // Off again, over the last warning and the day itself.
    expect(await days(20)).toEqual([3, 1]);
    expect(await days(0)).toEqual([3, 1]);
    expect(await days(1)).toEqual([4, 0]);
  });

  test("is interrupted by a renewal: the warnings start over with the next end", async () => {
    const { person } = await endingIn(-364.5, "Renovou a Tempo");
    await removeLapsed(t.deps);
    t.advance(23 * DAY_MS + 60_000);
    await removeLapsed(t.deps);
    expect(await subjectsTo(person)).toHaveLength(2);
    await endIn(person, 1);
    t.advance(30 * DAY_MS);
    await removeLapsed(t.deps);
    expect([await labsOf(person), (await subjectsTo(person)).length]).toEqual([1, 2]);
    t.advance(306.5 * DAY_MS);
    await removeLapsed(t.deps);
    expect([await labsOf(person), (await subjectsTo(person)).length]).toEqual([1, 3]);
  });

  test("ends with a renewal that is paid while the exams are about to be removed", async () => {
    const { person, endsAt } = await endingIn(-335, "Renovou na Hora");
    for (const days of [0, 23, 29]) {
      t.advance(endsAt.getTime() + (335 + days) * DAY_MS + 60_000 - t.deps.clock.now().getTime());
      await removeLapsed(t.deps);
    }
    expect(await subjectsTo(person)).toHaveLength(3);
    t.advance(2 * DAY_MS);
    const { promise: paid, resolve: commit } = Promise.withResolvers<void>();
    const renewal = t.sql.begin(async (tx) => {
      const until = new Date(t.deps.clock.now().getTime() + 30 * DAY_MS).toISOString();
      await tx`update subscriptions set expires_at = ${until} where user_id = ${person.id}`;
      await paid;
    });
    const removing = removeLapsed(t.deps);
    await untilLockWaits(t.sql);
    commit();
    await Promise.all([renewal, removing]);
    expect([await labsOf(person), (await subjectsTo(person)).length]).toEqual([1, 3]);
  });

  test("is never counted for Cortesia, admins, accounts without exams, or subscriptions in force", async () => {
    const { person: courtesy } = await endingIn(-900, "Com Cortesia", { plan: "cortesia" });
    const { person: admin } = await endingIn(-900, "Virou Admin");
    await t.sql`update users set role = 'admin' where id = ${admin.id}`;
    const empty = await t.addPerson("Sem Nada");
    await endIn(empty, -900);
    const { person: active } = await endingIn(900, "Em Dia");
    const endless = await t.addPerson("Sem Fim");
    await addLabExam(t, endless);
    for (let month = 0; month < 4; month++) {
      await removeLapsed(t.deps);
      t.advance(31 * DAY_MS);
    }
    for (const person of [courtesy, admin, empty, active, endless]) {
      expect(await subjectsTo(person)).toEqual([]);
      expect(await removalOf(t, person)).toBeUndefined();
    }
  });

  test("gives another 30 days and the warnings again when its removal is undone", async () => {
    const boss = await t.addPerson("Administradora", { role: "admin", plan: null });
    const { person, endsAt } = await endingIn(-400, "Pediu Tempo");
    for (const days of [0, 23, 6, 1]) {
      t.advance(days * DAY_MS + 60_000);
      await removeLapsed(t.deps);
    }
    expect(await labsOf(person)).toBe(0);
    await undoRemoval(t.deps, { userId: boss.id }, (await removalOf(t, person)).id, origin);
    await removeLapsed(t.deps);
    expect(await labsOf(person)).toBe(1);
    const [subscription] = await t.sql`select expires_at, lab_exam_count from subscriptions
      where user_id = ${person.id}`;
    expect(Date.parse(subscription?.expires_at)).toBe(endsAt.getTime());
    expect(subscription?.lab_exam_count).toBe(1);
    const mails = await mailsTo(t, person);
    expect(mails.at(-2)?.text).toContain(`Your subscription ended on ${brazil(endsAt)}: renew it`);
    expect(mails.at(-1)?.text).toContain("In 30 days");
  });

  test("is announced in Portuguese to people who signed in in Portuguese", async () => {
    const { person } = await endingIn(-340, "Lê em Português");
    const json = { email: person.email, password: person.password };
    await t.call("POST", "/api/auth/login", { json, headers: { "accept-language": "pt-BR" } });
    await removeLapsed(t.deps);
    const [mail] = await mailsTo(t, person);
    expect(mail?.subject).toMatch(/^Seus exames serão apagados em \d{2}\/\d{2}\/\d{4}$/);
    expect(mail?.text).toContain(
      "será apagado o que você ainda guarda: 1 exame laboratorial, com os laudos.",
    );
  });
});

test("no history of warnings, however late, removes exams without 30, 7 and 1 days' notice", () => {
  const endedAt = new Date("2025-01-01T12:00:00Z");
  const gapHours = [1, 1, 5, 24, 24, 200, 9_000];
  for (let seed = 1; seed <= 400; seed++) {
    const sent = new Map<WarningDays, Date>();
    let now = endedAt.getTime();
    let random = seed;
    for (let run = 0; run < 5_000; run++) {
      // A linear congruence: gaps of an hour, of days, and now and then of a year.
      random = (random * 1103515245 + 12345) % 2147483648;
      now += (gapHours[random % gapHours.length] ?? 1) * HOUR_MS;
      const step = nextLapseStep(endedAt, sent, new Date(now));
      if (step === "remove") break;
      if (step) sent.set(step.warn, new Date(now));
    }
    for (const days of [30, 7, 1] as const) {
      expect(now - (sent.get(days)?.getTime() ?? Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(
        days * DAY_MS - HOUR_MS,
      );
    }
    expect(now - endedAt.getTime()).toBeGreaterThanOrEqual(365 * DAY_MS);
  }
});

async function storeExam(person: Person) {
  await t.sql`update subscriptions set expires_at = expires_at + interval '1 hour' where user_id = ${person.id}`;
  const stored = await t.store(person, sampleZip({ study: newStudyNumber() }));
  await t.sql`update subscriptions set expires_at = expires_at - interval '1 hour' where user_id = ${person.id}`;
  return stored;
}
