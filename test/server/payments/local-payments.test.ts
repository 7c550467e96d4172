import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { AdminPayment, Payment, SettledPayment } from "../../../src/shared/api/payments.ts";
import type {
  AccountSubscription,
  OfferedPlan,
  Subscription,
} from "../../../src/shared/api/subscriptions.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { readQrCode } from "../../support/psp/qr-code.ts";
import { readBrCode } from "../../support/psp/read-br-code.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const DAY = 24 * 3600_000;
const MINUTE = 60_000;

let t: TestApp;
let admin: Person;
let person: Person;
let plans: Record<string, OfferedPlan>;

beforeAll(async () => {
  t = await createTestApp({
    env: {
      PIX_KEY: "123e4567-e12b-12d1-a456-426655440000",
      PIX_MERCHANT_NAME: "Exames São João",
      PIX_MERCHANT_CITY: "Brasília",
    },
  });
  admin = await t.addPerson("Administradora", { role: "admin", plan: null });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

beforeEach(async () => {
  person = await t.addPerson("Pessoa", { plan: "avaliacao" });
  const listed = (await (
    await t.call("GET", "/api/subscriptions/plans", { as: person })
  ).json()) as OfferedPlan[];
  plans = Object.fromEntries(listed.map((plan) => [plan.name, plan]));
});

const planId = (name: string) => plans[name]?.id ?? "";

async function create(name: string, as = person): Promise<Payment> {
  const answer = await t.call("POST", "/api/payments/create", { as, json: { planId: planId(name) } });
  expect(answer.status).toBe(201);
  return (await answer.json()) as Payment;
}

async function confirm(id: string): Promise<SettledPayment> {
  const answer = await t.call("POST", `/api/payments/${id}/confirm`, { as: admin });
  expect(answer.status).toBe(200);
  return (await answer.json()) as SettledPayment;
}

async function refund(id: string): Promise<Response> {
  return await t.call("POST", `/api/payments/${id}/refund`, { as: admin });
}

async function subscription(as = person): Promise<Subscription> {
  return (await (await t.call("GET", "/api/subscriptions/my-subscription", { as })).json()) as Subscription;
}

async function payment(id: string): Promise<Payment> {
  return (await (await t.call("GET", `/api/payments/${id}`, { as: person })).json()) as Payment;
}

async function cancel(): Promise<void> {
  expect((await t.call("POST", "/api/subscriptions/cancel", { as: person })).status).toBe(200);
}

async function undoCancellation(): Promise<void> {
  const [removal] =
    await t.sql`select id from removals where user_id = ${person.id} order by id desc limit 1`;
  const path = `/api/subscriptions/removals/${removal?.id}/undo`;
  expect((await t.call("POST", path, { as: admin })).status).toBe(200);
}

async function cancelAndUndo(): Promise<void> {
  await cancel();
  await undoCancellation();
}

const daysLeft = async () =>
  Math.round((Date.parse((await subscription()).expiresAt ?? "") - t.deps.clock.now().getTime()) / DAY);

describe("choosing a plan", () => {
  test("offers the plans that are sold, smallest first, and never Avaliação or Cortesia", () => {
    expect(Object.keys(plans)).toEqual(["Essencial", "Família", "Profissional", "Clínica"]);
    expect(plans.Família).toMatchObject({ examLimit: 50, periodDays: 30 });
    expect(plans.Profissional).toMatchObject({ examLimit: 200, periodDays: 365 });
  });

  test("shows a QR Code that holds the very code to copy, with the plan's price", async () => {
    const { pixQrcode, pixCopyPaste, amount, status } = await create("Essencial");
    expect(status).toBe("pending");
    expect(amount).toBe(1990);
    expect(pixCopyPaste).toContain("540519.90");
    expect(pixCopyPaste).toContain("5915Exames Sao Joao6008Brasilia");
    expect(pixQrcode).toStartWith("data:image/svg+xml;base64,");
    expect(readQrCode(pixQrcode ?? "")).toBe(pixCopyPaste ?? "");
  });

  test("twice for the same plan, also at the same time, makes one payment", async () => {
    const [one, two] = await Promise.all([create("Essencial"), create("Essencial")]);
    expect(two.id).toBe(one.id);
    expect((await create("Família")).id).not.toBe(one.id);
    expect((await create("Essencial")).id).toBe(one.id);
  });

  test("after half an hour the code is expired, and the next one is new", async () => {
    const first = await create("Essencial");
    expect(Date.parse(first.expiresAt) - Date.parse(first.createdAt)).toBeGreaterThanOrEqual(30 * MINUTE);
    await passes(31 * MINUTE);
    expect(await payment(first.id)).toMatchObject({
      status: "expired",
      pixQrcode: null,
      pixCopyPaste: null,
    });
    const second = await create("Essencial");
    expect(second.id).not.toBe(first.id);
    expect(second.pixCopyPaste).not.toBe(first.pixCopyPaste);
  });

  test("answers 404 for a plan that is not sold or does not exist", async () => {
    const [trial] = await t.sql`select id from plans where slug = 'cortesia'`;
    for (const id of [trial?.id, Bun.randomUUIDv7()]) {
      const answer = await t.call("POST", "/api/payments/create", { as: person, json: { planId: id } });
      expect((await problemOf(answer)).code).toBe("plan.not_found");
    }
    const bad = await t.call("POST", "/api/payments/create", { as: person, json: { planId: "essencial" } });
    expect(bad.status).toBe(400);
  });

  test("refuses a plan smaller than the exams held, in either archive", async () => {
    await t.sql`update subscriptions set lab_exam_count = 11 where user_id = ${person.id}`;
    const answer = await t.call("POST", "/api/payments/create", {
      as: person,
      json: { planId: planId("Essencial") },
    });
    expect(answer.status).toBe(409);
    expect(await problemOf(answer)).toMatchObject({
      code: "plan.too_small",
      message: "You keep 11 exams and this plan holds 10. Choose a larger plan or delete exams first.",
    });
  });

  test("can renew the current plan, also if an admin made it smaller meanwhile", async () => {
    await confirm((await create("Essencial")).id);
    await t.sql`update subscriptions set exam_count = 11 where user_id = ${person.id}`;
    expect((await create("Essencial")).status).toBe("pending");
  });

  test("is limited in how many codes it makes", async () => {
    for (let made = 0; made < 20; made++) {
      await create("Essencial");
      t.advance(31 * MINUTE);
      await t.sql`update payments set created_at = ${t.deps.clock.now().toISOString()} where user_id = ${person.id}`;
    }
    const answer = await t.call("POST", "/api/payments/create", {
      as: person,
      json: { planId: planId("Essencial") },
    });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test.each([null, "00020126"])(
    "makes a new charge if the open one is at another provider, with code %p",
    async (code) => {
      const { id } = await create("Essencial");
      const txid = crypto.randomUUID().replaceAll("-", "");
      await t.sql`update payments set provider = 'bacen', txid = ${txid}, br_code = ${code} where id = ${id}`;
      const again = await create("Essencial");
      expect(again.id).not.toBe(id);
      expect(readBrCode(again.pixCopyPaste ?? "")).toBeDefined();
    },
  );

  test("answers 404 for someone else's payment", async () => {
    const { id } = await create("Essencial");
    const other = await t.addPerson("Outra");
    expect((await t.call("GET", `/api/payments/${id}`, { as: other })).status).toBe(404);
    expect((await t.call("POST", `/api/payments/${id}/confirm`, { as: other })).status).toBe(403);
    const history = await t.call("GET", "/api/payments/user/history?limit=50", { as: other });
    expect(await history.json()).toEqual([]);
    expect((await t.call("GET", `/api/payments/${id}`, { as: admin })).status).toBe(200);
  });

  test("reports that Pix is not set up", async () => {
    await using bare = await createTestApp({ jobs: false });
    const someone = await bare.addPerson("Alguém", { plan: "avaliacao" });
    const [plan] = await bare.sql`select id from plans where slug = 'essencial'`;
    const answer = await bare.call("POST", "/api/payments/create", {
      as: someone,
      json: { planId: plan?.id },
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("60");
    expect((await problemOf(answer)).code).toBe("pix.not_configured");
  }, 240_000);
});

describe("a confirmed payment", () => {
  test("ends the trial, starts the plan, mails a receipt and allows uploads", async () => {
    await t.store(person, sampleZip({ study: "61" }, { study: "62" }));
    expect(await problemOf(await t.upload(person, sampleZip({ study: "63" })))).toMatchObject({
      code: "quota.trial",
    });
    const { id } = await create("Essencial");
    expect(await subscription()).toMatchObject({ status: "active", openPaymentId: id });
    expect(await confirm(id)).toMatchObject({ status: "paid", canConfirm: false, canRefund: true });
    expect(await subscription()).toMatchObject({
      status: "active",
      plan: { name: "Essencial" },
      currentExamCount: 2,
      openPaymentId: null,
    });
    expect(await daysLeft()).toBe(30);
    expect((await t.upload(person, sampleZip({ study: "63" }))).status).toBe(201);
    const me = await t.call("GET", "/api/auth/me", { as: person });
    expect(await me.json()).toMatchObject({ isTrial: false });
    await t.settle();
    const mails = (await readOutbox(t.deps.config.dataDir)).filter(({ to }) => to.includes(person.email));
    expect(mails.map(({ subject }) => subject)).toEqual(["Payment received: Essencial"]);
    expect(mails[0]?.text).toMatch(/R\$\s?19\.90/);
  });

  test("changes nothing when it is confirmed again, also at the same time", async () => {
    const { id } = await create("Essencial");
    const answers = await Promise.all([confirm(id), confirm(id), confirm(id)]);
    expect(answers.map(({ wasSettledBefore }) => wasSettledBefore).sort()).toEqual([false, true, true]);
    await passes(DAY);
    await confirm(id);
    expect(await daysLeft()).toBe(29);
    const [row] = await t.sql`select count(*)::int as paid from audit_events
      where action = 'payment.paid' and account_id = ${person.id}`;
    expect(row?.paid).toBe(1);
  });

  test("counts even if it comes after the code expired", async () => {
    const { id } = await create("Essencial");
    await passes(3 * 3600_000);
    expect(await confirm(id)).toMatchObject({ status: "paid" });
    expect(await daysLeft()).toBe(30);
  });

  test("of the same plan extends it from its end, and leaves the counters untouched", async () => {
    await confirm((await create("Essencial")).id);
    await t.sql`update subscriptions set downloads = 7, exam_count = 3 where user_id = ${person.id}`;
    await passes(10 * DAY);
    await confirm((await create("Essencial")).id);
    expect(await daysLeft()).toBe(50);
    expect(await subscription()).toMatchObject({ downloadsThisMonth: 7, currentExamCount: 3 });
  });

  test("of the same plan after its end starts now", async () => {
    await confirm((await create("Essencial")).id);
    await passes(45 * DAY);
    expect(await subscription()).toMatchObject({ status: "expired" });
    const { id } = await create("Essencial");
    expect(await subscription()).toMatchObject({ status: "pending", openPaymentId: id });
    await confirm(id);
    expect(await daysLeft()).toBe(30);
  });

  test("of another plan starts now and the rest of the old one lapses; stored exams stay counted", async () => {
    await confirm((await create("Essencial")).id);
    await t.sql`update subscriptions set downloads = 7, exam_count = 3 where user_id = ${person.id}`;
    await passes(10 * DAY);
    await confirm((await create("Profissional")).id);
    expect(await daysLeft()).toBe(365);
    expect(await subscription()).toMatchObject({
      plan: { name: "Profissional" },
      downloadsThisMonth: 0,
      currentExamCount: 3,
    });
  });

  test("never shortens a plan without an end", async () => {
    const { id } = await create("Essencial");
    await t.sql`update subscriptions set plan_id = ${planId("Essencial")}, expires_at = null
      where user_id = ${person.id}`;
    await confirm(id);
    expect((await subscription()).expiresAt).toBeNull();
    const mails = await readOutbox(t.deps.config.dataDir);
    const told = mails.filter(({ to }) => to.includes(person.email)).map(({ text }) => text);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/não tem data de término|has no end/);
    const again = await t.call("POST", "/api/payments/create", {
      as: person,
      json: { planId: planId("Essencial") },
    });
    expect((await problemOf(again)).code).toBe("plan.already_endless");
  });

  test("keeps the price it began with when an admin changes the plan meanwhile", async () => {
    const { id } = await create("Essencial");
    const change = { price: 2990, downloadDeleteLimit: 33 };
    const path = `/api/subscriptions/plans/${planId("Essencial")}`;
    expect(await (await t.call("PATCH", path, { as: admin, json: change })).json()).toMatchObject(change);
    expect(await confirm(id)).toMatchObject({ amount: 1990 });
    await t.call("PATCH", path, { as: admin, json: { price: 1990, downloadDeleteLimit: 20 } });
  });

  test("of a deleted account is kept, without a name", async () => {
    const { id } = await create("Essencial");
    await t.call("DELETE", `/api/users/${person.id}`, { as: admin });
    expect(await confirm(id)).toMatchObject({ status: "paid", user: null, failure: "account_gone" });
  });
});

describe("an account without a subscription", () => {
  test("is pending while its first Pix is open, and has none again when it expires", async () => {
    const nobody = await t.addPerson("Ninguém", { plan: null });
    const get = () => t.call("GET", "/api/subscriptions/my-subscription", { as: nobody });
    expect((await get()).status).toBe(404);
    await create("Essencial", nobody);
    expect(await subscription(nobody)).toMatchObject({ status: "pending", plan: { name: "Essencial" } });
    expect((await t.upload(nobody, sampleZip({ study: "64" }))).status).toBe(403);
    await passes(31 * MINUTE);
    expect((await get()).status).toBe(404);
  });

  test("uses nothing of a plan that it only chose, and has none in the administration", async () => {
    const nobody = await t.addPerson("Nunca Pagou", { plan: null });
    const rowOf = async () => {
      const all = await t.call("GET", "/api/subscriptions/all", { as: admin });
      return ((await all.json()) as AccountSubscription[]).find(({ user }) => user.id === nobody.id);
    };
    await create("Clínica", nobody);
    const { id } = await create("Família", nobody);
    expect(await subscription(nobody)).toMatchObject({ status: "pending", plan: { name: "Família" } });
    expect((await rowOf())?.subscription).toMatchObject({ status: "pending", openPaymentId: id });
    expect((await t.call("GET", "/api/subscriptions/usage-stats", { as: nobody })).status).toBe(404);
    await passes(31 * MINUTE);
    expect(await rowOf()).toBeUndefined();
  });

  test("that chose a plan and never paid it gets Cortesia when an admin gives it an end", async () => {
    const nobody = await t.addPerson("Ganhou Prazo", { plan: null });
    await create("Clínica", nobody);
    const expiresAt = new Date(t.deps.clock.now().getTime() + 10 * DAY).toISOString();
    const changed = await t.call("PATCH", `/api/users/${nobody.id}`, { as: admin, json: { expiresAt } });
    expect(changed.status).toBe(200);
    expect(await subscription(nobody)).toMatchObject({
      status: "active",
      plan: { name: "Cortesia" },
      expiresAt,
    });
  });
});

describe("a refund", () => {
  test("that another admin made before is told as such, and so is a confirmation that comes after it", async () => {
    const { id } = await create("Essencial");
    await confirm(id);
    const answers = await Promise.all([refund(id), refund(id)]);
    const settled = await Promise.all(answers.map(async (answer) => (await answer.json()) as SettledPayment));
    expect(settled.map(({ wasSettledBefore }) => wasSettledBefore).sort()).toEqual([false, true]);
    expect(await confirm(id)).toMatchObject({ status: "refunded", wasSettledBefore: true });
  });

  test("ends the period it paid for, at once, and mails it", async () => {
    const { id } = await create("Essencial");
    await confirm(id);
    await passes(3 * DAY);
    expect(await (await refund(id)).json()).toMatchObject({ status: "refunded", canRefund: false });
    expect(await subscription()).toMatchObject({ status: "expired" });
    expect((await t.upload(person, sampleZip({ study: "65" }))).status).toBe(403);
    await t.settle();
    const mails = (await readOutbox(t.deps.config.dataDir)).filter(({ to }) => to.includes(person.email));
    expect(mails.at(-1)?.subject).toBe("Payment refunded: Essencial");
  });

  test("of the first of two periods moves the second up; of both leaves none", async () => {
    const first = await create("Essencial");
    await confirm(first.id);
    const second = await create("Essencial");
    await confirm(second.id);
    await passes(5 * DAY);
    expect(await daysLeft()).toBe(55);
    await refund(first.id);
    expect(await daysLeft()).toBe(30);
    await passes(10 * DAY);
    await refund(second.id);
    expect(await subscription()).toMatchObject({ status: "expired" });
  });

  test("of a period that is over, or of a previous plan, takes nothing", async () => {
    const essencial = await create("Essencial");
    await confirm(essencial.id);
    await passes(2 * DAY);
    await confirm((await create("Família")).id);
    await refund(essencial.id);
    expect(await daysLeft()).toBe(30);
    const back = await create("Essencial");
    await confirm(back.id);
    expect(await daysLeft()).toBe(30);
  });

  test("before a cancellation is deducted once, even if the cancellation is undone", async () => {
    await confirm((await create("Essencial")).id);
    const ahead = await create("Essencial");
    await confirm(ahead.id);
    await refund(ahead.id);
    expect(await daysLeft()).toBe(30);
    await cancelAndUndo();
    expect(await daysLeft()).toBe(30);
  });

  test("of time paid ahead for a previous plan takes nothing, even if a cancellation is undone", async () => {
    await confirm((await create("Essencial")).id);
    const ahead = await create("Essencial");
    await confirm(ahead.id);
    await confirm((await create("Família")).id);
    await confirm((await create("Essencial")).id);
    await cancelAndUndo();
    expect(await daysLeft()).toBe(30);
    await refund(ahead.id);
    expect(await daysLeft()).toBe(30);
    await cancelAndUndo();
    expect(await daysLeft()).toBe(30);
  });

  test("of a payment after a cancellation takes nothing from the plan that the undo brings back", async () => {
    await confirm((await create("Essencial")).id);
    await cancel();
    const again = [await create("Essencial")];
    await confirm(again[0]?.id ?? "");
    again.unshift(await create("Essencial"));
    await confirm(again[0]?.id ?? "");
    for (const { id } of again) await refund(id);
    await undoCancellation();
    expect(await daysLeft()).toBe(30);
  });

  test("of a period that an admin shortened takes nothing from the periods paid after it", async () => {
    const before = await create("Essencial");
    await confirm(before.id);
    const expiresAt = t.deps.clock.now().toISOString();
    await t.call("PATCH", `/api/users/${person.id}`, { as: admin, json: { expiresAt } });
    await confirm((await create("Essencial")).id);
    await refund(before.id);
    expect(await daysLeft()).toBe(30);
  });

  test("of a plan that an admin ended leaves its end where the admin set it", async () => {
    const { id } = await create("Profissional");
    await confirm(id);
    await passes(10 * DAY);
    const expiresAt = t.deps.clock.now().toISOString();
    await t.call("PATCH", `/api/users/${person.id}`, { as: admin, json: { expiresAt } });
    await passes(DAY);
    await refund(id);
    expect(await subscription()).toMatchObject({ status: "expired", expiresAt });
  });

  test("of a period that an admin cut short takes only what it still brought", async () => {
    await confirm((await create("Essencial")).id);
    const cut = await create("Essencial");
    await confirm(cut.id);
    const expiresAt = new Date(t.deps.clock.now().getTime() + 40 * DAY).toISOString();
    await t.call("PATCH", `/api/users/${person.id}`, { as: admin, json: { expiresAt } });
    await confirm((await create("Essencial")).id);
    expect(await daysLeft()).toBe(70);
    await refund(cut.id);
    expect(await daysLeft()).toBe(60);
  });

  test("that is requested twice, also at the same time, happens once", async () => {
    const { id } = await create("Essencial");
    await confirm(id);
    await confirm((await create("Essencial")).id);
    await Promise.all([refund(id), refund(id)]);
    await refund(id);
    expect(await daysLeft()).toBe(30);
  });

  test("of a payment at a PSP is refused if no PSP is set up any more, since nobody would send the money", async () => {
    const { id } = await create("Essencial");
    await confirm(id);
    await t.sql`update payments set provider = 'bacen', end_to_end_id = ${id.replaceAll("-", "")} where id = ${id}`;
    expect(await problemOf(await refund(id))).toMatchObject({ status: 503, code: "pix.not_configured" });
    expect(await daysLeft()).toBe(30);
    await t.sql`update payments set devolucao_id = 'a', devolucao_status = 'EM_PROCESSAMENTO' where id = ${id}`;
    expect(await (await refund(id)).json()).toMatchObject({
      status: "paid",
      refundStatus: "EM_PROCESSAMENTO",
    });
    expect(await daysLeft()).toBe(30);
  });

  test("of an unpaid charge is refused", async () => {
    const { id } = await create("Essencial");
    expect((await problemOf(await refund(id))).code).toBe("payment.not_refundable");
  });
});

describe("the admin", () => {
  test("sees every payment with its person, by status, and the actions it allows", async () => {
    const { id } = await create("Essencial");
    const listed = await t.call("GET", "/api/payments?status=pending&limit=200", { as: admin });
    const found = ((await listed.json()) as AdminPayment[]).find((row) => row.id === id);
    expect(found).toMatchObject({ canConfirm: true, canRefund: false, user: { email: person.email } });
    expect(found).toMatchObject({ pixQrcode: null, pixCopyPaste: null });
    expect(Number(listed.headers.get("x-total-count"))).toBeGreaterThan(0);
    await confirm(id);
    const paid = await t.call("GET", "/api/payments?status=paid&limit=200", { as: admin });
    expect(((await paid.json()) as AdminPayment[]).map((row) => row.id)).toContain(id);
  });

  test("still sees a Pix to confirm when its code has expired, for a week", async () => {
    const { id } = await create("Essencial");
    const waiting = async () => {
      const answer = await t.call("GET", "/api/payments?status=pending&limit=200", { as: admin });
      return ((await answer.json()) as AdminPayment[]).find((row) => row.id === id);
    };
    await passes(3 * DAY);
    expect(await waiting()).toMatchObject({ status: "expired", canConfirm: true });
    expect((await summary()).pendingPayments).toBeGreaterThan(0);
    await passes(5 * DAY);
    expect(await waiting()).toBeUndefined();
  });

  test("sees users, active subscriptions, exams, and a month's revenue less refunds", async () => {
    const before = await summary();
    const kept = await create("Família");
    await confirm(kept.id);
    const returned = await create("Família");
    await confirm(returned.id);
    await refund(returned.id);
    const after = await summary();
    expect(after.monthlyRevenue - before.monthlyRevenue).toBe(3990);
    expect(after.revenueByMonth).toHaveLength(12);
    expect(after.revenueByMonth.at(-1)?.amount).toBe(after.monthlyRevenue);
    const active = (of: typeof after, name: string) =>
      of.plans.find((plan) => plan.name === name)?.activeUsers ?? 0;
    expect(active(after, "Família") - active(before, "Família")).toBe(1);
    expect(active(before, "Avaliação") - active(after, "Avaliação")).toBe(1);
    const all = (await (await t.call("GET", "/api/subscriptions/all", { as: admin })).json()) as {
      user: { id: string };
    }[];
    expect(all.filter(({ user }) => user.id === person.id)).toHaveLength(1);
  });

  test("can take any plan without payment, and can't sell plans that the system gives", async () => {
    const chosen = await t.call("POST", "/api/subscriptions/subscribe", {
      as: admin,
      json: { planId: planId("Clínica") },
    });
    expect(await chosen.json()).toMatchObject({
      status: "active",
      expiresAt: null,
      plan: { name: "Clínica" },
    });
    const given = (await summary()).plans.find((plan) => plan.name === "Cortesia");
    const answer = await t.call("PATCH", `/api/subscriptions/plans/${given?.id}`, {
      as: admin,
      json: { isOffered: true },
    });
    expect((await problemOf(answer)).code).toBe("plan.not_offerable");
    const bad = await t.call("PATCH", `/api/subscriptions/plans/${given?.id}`, {
      as: admin,
      json: { examLimit: 0 },
    });
    expect(bad.status).toBe(400);
  });
});

async function summary() {
  const answer = await t.call("GET", "/api/subscriptions/summary", { as: admin });
  return (await answer.json()) as {
    pendingPayments: number;
    monthlyRevenue: number;
    revenueByMonth: { amount: number }[];
    plans: { id: string; name: string; activeUsers: number }[];
  };
}

/** Lets time go by; sessions don't last as long as plans do. */
async function passes(ms: number): Promise<void> {
  t.advance(ms);
  for (const who of [person, admin]) {
    const { email, password } = who;
    const answer = await t.call("POST", "/api/auth/login", { json: { email, password } });
    who.token = ((await answer.json()) as { token: string }).token;
  }
}
