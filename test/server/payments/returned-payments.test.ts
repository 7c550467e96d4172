import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { defineQueue } from "../../../src/server/jobs/queue.ts";
import type { AdminPayment, Payment } from "../../../src/shared/api/payments.ts";
import type { SubscriptionSummary } from "../../../src/shared/api/subscriptions.ts";
import type { Person, TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { type AppAtPsp, openAppAtPsp } from "../../support/psp/app-at-psp.ts";
import type { PixAtPsp } from "../../support/psp/pix-at-psp.ts";

/** Money that goes back at the PSP: contested at the payer's bank (MED), or returned by the PSP itself. */
const HOUR = 3600_000;
const DAY = 24 * HOUR;
const GET = "GET /cob/{txid}";
const OPERATOR = "operador@example.com";

let app: AppAtPsp;
let t: TestApp;
let at: PixAtPsp;
let person: Person;

beforeAll(async () => {
  app = await openAppAtPsp({ SUPPORT_EMAIL: OPERATOR });
  ({ t, at } = app);
}, 240_000);
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(async () => {
  person = await app.addPayer();
});
afterEach(() => app.reset());

interface Charge {
  id: string;
  txid: string;
}

async function create(): Promise<Charge> {
  const answer = await app.ask();
  const { id } = (await answer.json()) as Payment;
  return { id, txid: String((await app.row(id))?.txid) };
}

async function paid(): Promise<Charge> {
  const charge = await create();
  at.psp.pay(charge.txid);
  await at.psp.notify(charge.txid);
  await t.settle();
  expect((await app.row(charge.id))?.status).toBe("paid");
  return charge;
}

async function notifyApp(): Promise<void> {
  await app.passes(11_000);
  await at.psp.notify([...at.psp.bank.cobs.keys()].at(-1) ?? "");
  await t.settle();
}

async function shown(id: string): Promise<Payment> {
  const answer = await t.call("GET", "/api/payments/user/history", { as: person });
  const found = ((await answer.json()) as Payment[]).find((payment) => payment.id === id);
  if (!found) throw new Error("the payment is not in the history");
  return found;
}

async function shownToAdmin(id: string): Promise<AdminPayment> {
  const answer = await t.call("GET", "/api/payments?limit=200", { as: app.admin });
  const found = ((await answer.json()) as AdminPayment[]).find((payment) => payment.id === id);
  if (!found) throw new Error("the payment is not in the list");
  return found;
}

async function audited(action: string): Promise<number> {
  const [counted] = await t.sql`select count(*)::int as times from audit_events
    where action = ${action} and account_id = ${person.id}`;
  return Number(counted?.times);
}

async function mailsTo(address: string, word: string): Promise<number> {
  const mails = await readOutbox(t.deps.config.dataDir);
  return mails.filter(({ to, subject }) => to.includes(address) && subject.includes(word)).length;
}

describe("a Pix that went back whole", () => {
  test("through MED ends the period it paid for, is shown and audited, and user and operator are told, by the reconciliation", async () => {
    const { id, txid } = await paid();
    const operatorMails = await mailsTo(OPERATOR, "Pix");
    at.psp.takeBack(txid);
    await app.passes(2 * HOUR);
    await app.reconcile();
    expect(await app.row(id)).toMatchObject({ status: "refunded" });
    expect((await app.subscription()).status).toBe("expired");
    expect(await shown(id)).toMatchObject({
      status: "refunded",
      amountReturned: 1990,
      devolucoes: [{ amount: 1990, natureza: "MED_FRAUDE", status: "DEVOLVIDO" }],
    });
    expect((await shownToAdmin(id)).devolucoes).toHaveLength(1);
    expect([await audited("payment.returned"), await audited("payment.refunded")]).toEqual([1, 1]);
    expect(await mailsTo(person.email, "Pix returned")).toBe(1);
    expect(await mailsTo(OPERATOR, "Pix")).toBe(operatorMails + 1);
  });

  test("through its webhook ends its period within seconds, once, even if the reconciliation sees it at the same time", async () => {
    const { id, txid } = await paid();
    at.psp.takeBack(txid, { natureza: "MED_OPERACIONAL" });
    await app.passes(2 * HOUR);
    await Promise.all([
      at.psp.notify(txid, { times: 3 }),
      t.deps.jobs.enqueue(defineQueue("pix.reconcile"), {}),
    ]);
    await t.settle();
    await notifyApp();
    expect((await app.row(id))?.status).toBe("refunded");
    expect([await audited("payment.returned"), await audited("payment.refunded")]).toEqual([1, 1]);
    const [kept] = await t.sql`select count(*)::int as rows from devolucoes where payment_id = ${id}`;
    expect(kept?.rows).toBe(1);
    expect(await mailsTo(person.email, "Pix returned")).toBe(1);
  });

  test("in several parts ends it with the last", async () => {
    const { id, txid } = await paid();
    at.psp.takeBack(txid, { cents: 1000 });
    at.psp.takeBack(txid, { cents: 989 });
    await notifyApp();
    expect(await app.row(id)).toMatchObject({ status: "paid" });
    at.psp.takeBack(txid, { cents: 1 });
    await notifyApp();
    expect(await app.row(id)).toMatchObject({ status: "refunded" });
    expect(await shown(id)).toMatchObject({ amountReturned: 1990 });
  });

  test("ends only its own period: the periods paid after it move up", async () => {
    const first = await paid();
    await app.passes(10 * DAY);
    const second = await paid();
    const before = await app.subscription();
    at.psp.takeBack(first.txid);
    await app.passes(11_000);
    await at.psp.notify(first.txid);
    await t.settle();
    expect((await app.row(first.id))?.status).toBe("refunded");
    const after = await app.subscription();
    const lostDays = (Date.parse(before.expiresAt ?? "") - Date.parse(after.expiresAt ?? "")) / DAY;
    expect(lostDays).toBeCloseTo(20, 1);
    expect(after.status).toBe("active");
    expect(await app.row(second.id)).toMatchObject({ status: "paid" });
  });

  test("before it was known to be paid neither begins nor ends a plan", async () => {
    const { id, txid } = await create();
    at.psp.pay(txid);
    at.psp.takeBack(txid);
    await at.psp.notify(txid);
    await t.settle();
    expect(await app.row(id)).toMatchObject({ status: "refunded", failure: "returned", period_end: null });
    expect((await app.subscription()).plan.name).toBe("Avaliação");
    expect(await audited("payment.paid")).toBe(0);
  });

  test("of another amount than the price is noticed too", async () => {
    const { id, txid } = await create();
    at.psp.pay(txid, { amountCents: 199 });
    await at.psp.notify(txid);
    await t.settle();
    expect(await app.row(id)).toMatchObject({ status: "failed", failure: "wrong_amount" });
    at.psp.takeBack(txid);
    await notifyApp();
    expect(await app.row(id)).toMatchObject({ status: "refunded" });
  });

  test("of a deleted account is recorded", async () => {
    const { id, txid } = await paid();
    await t.call("DELETE", `/api/users/${person.id}`, { as: app.admin });
    at.psp.takeBack(txid);
    await app.passes(11_000).catch(() => {});
    await at.psp.notify(txid);
    await t.settle();
    expect(await app.row(id)).toMatchObject({ status: "refunded" });
  });
});

describe("a Pix of which a part went back", () => {
  test("keeps its period, shows the part, and user and operator are told once", async () => {
    const { id, txid } = await paid();
    at.psp.takeBack(txid, { cents: 500 });
    await notifyApp();
    await notifyApp();
    expect(await app.row(id)).toMatchObject({ status: "paid" });
    expect((await app.subscription()).status).toBe("active");
    expect(await shown(id)).toMatchObject({ status: "paid", amountReturned: 500 });
    expect(await shownToAdmin(id)).toMatchObject({ amountReturned: 500, canRefund: true });
    expect(await audited("payment.returned")).toBe(1);
    expect(await mailsTo(person.email, "Part of your Pix")).toBe(1);
  });

  test("can be refunded by an admin up to the rest", async () => {
    const { id, txid } = await paid();
    at.psp.takeBack(txid, { cents: 500 });
    await notifyApp();
    await t.call("POST", `/api/payments/${id}/refund`, { as: app.admin });
    const { devolucao_id: own } = (await app.row(id)) ?? {};
    expect(at.psp.refunds().find((refund) => refund.id === own)).toMatchObject({ cents: 1490 });
    at.psp.settleRefund(String(own), "DEVOLVIDO");
    await app.reconcile();
    expect(await app.row(id)).toMatchObject({ status: "refunded", devolucao_status: "DEVOLVIDO" });
    expect(await shown(id)).toMatchObject({ amountReturned: 1990 });
  });

  test("that is done in the moment in which an admin's refund of the rest is leaves that refund done", async () => {
    const { id, txid } = await paid();
    const contested = at.psp.takeBack(txid, { cents: 500, status: "EM_PROCESSAMENTO" });
    await notifyApp();
    await t.call("POST", `/api/payments/${id}/refund`, { as: app.admin });
    at.psp.settleRefund(contested.id, "DEVOLVIDO");
    at.psp.settleRefund(String((await app.row(id))?.devolucao_id), "DEVOLVIDO");
    await notifyApp();
    expect(await shownToAdmin(id)).toMatchObject({
      status: "refunded",
      refundStatus: "DEVOLVIDO",
      amountReturned: 1990,
    });
  });

  test("reduces the month's revenue, and no cent is deducted twice when the rest follows", async () => {
    const revenue = async () => {
      const answer = await t.call("GET", "/api/subscriptions/summary", { as: app.admin });
      return ((await answer.json()) as SubscriptionSummary).revenueByMonth.reduce(
        (sum, { amount }) => sum + amount,
        0,
      );
    };
    const before = await revenue();
    const { txid } = await paid();
    expect(await revenue()).toBe(before + 1990);
    at.psp.takeBack(txid, { cents: 500 });
    await notifyApp();
    expect(await revenue()).toBe(before + 1490);
    at.psp.takeBack(txid, { cents: 1490 });
    await notifyApp();
    expect(await revenue()).toBe(before);
  });
});

describe("a devolucao", () => {
  test("under way changes nothing until it is done; one that failed never does", async () => {
    const { id, txid } = await paid();
    const begun = at.psp.takeBack(txid, { status: "EM_PROCESSAMENTO" });
    await notifyApp();
    expect(await app.row(id)).toMatchObject({ status: "paid" });
    expect(await shown(id)).toMatchObject({
      amountReturned: 0,
      devolucoes: [{ status: "EM_PROCESSAMENTO" }],
    });
    at.psp.settleRefund(begun.id, "NAO_REALIZADO");
    await notifyApp();
    expect(await shown(id)).toMatchObject({ status: "paid", devolucoes: [{ status: "NAO_REALIZADO" }] });
    expect(await audited("payment.returned")).toBe(0);
    const again = at.psp.takeBack(txid, { status: "EM_PROCESSAMENTO" });
    at.psp.settleRefund(again.id, "DEVOLVIDO");
    await notifyApp();
    expect(await app.row(id)).toMatchObject({ status: "refunded" });
  });

  test("of a payment that an admin has already refunded changes nothing", async () => {
    const { id } = await paid();
    await t.call("POST", `/api/payments/${id}/refund`, { as: app.admin });
    at.psp.settleRefund(String((await app.row(id))?.devolucao_id), "DEVOLVIDO");
    await app.reconcile();
    expect(await shown(id)).toMatchObject({
      status: "refunded",
      amountReturned: 1990,
      devolucoes: [{ natureza: "ORIGINAL", status: "DEVOLVIDO" }],
    });
    await notifyApp();
    expect([await audited("payment.returned"), await audited("payment.refunded")]).toEqual([0, 1]);
    expect(await mailsTo(person.email, "refunded")).toBe(1);
  });

  test("that returns the money while an admin's own refund waits ends both", async () => {
    const { id, txid } = await paid();
    await t.call("POST", `/api/payments/${id}/refund`, { as: app.admin });
    at.psp.settleRefund(String((await app.row(id))?.devolucao_id), "NAO_REALIZADO");
    at.psp.takeBack(txid);
    await notifyApp();
    expect(await app.row(id)).toMatchObject({ status: "refunded", devolucao_status: "NAO_REALIZADO" });
    await app.reconcile();
    expect(await audited("payment.refunded")).toBe(1);
  });

  test("with an invalid amount changes nothing until the amount is valid", async () => {
    const { id } = await paid();
    for (const valor of ["19,90", "1e3", "-19.90", "19.9", "NaN", "19.90 ", 19.9, "19.90"]) {
      const amend = (body: { pix?: object[] }) => ({
        ...body,
        pix: body.pix?.map((pix) => ({
          ...pix,
          devolucoes: [{ id: "x", rtrId: `D${"0".repeat(31)}`, valor, horario: {}, status: "DEVOLVIDO" }],
        })),
      });
      expect(await app.row(id)).toMatchObject({ status: "paid" });
      expect((await shown(id)).devolucoes).toEqual([]);
      at.psp.fail(GET, ...Array.from({ length: 6 }, () => ({ amend })));
      await notifyApp();
      at.psp.reset();
    }
    expect(await app.row(id)).toMatchObject({ status: "refunded" });
  }, 240_000);

  test("of an unknown kind counts, and no personal data of it is kept", async () => {
    const { id, txid } = await paid();
    at.psp.takeBack(txid);
    const amend = (body: { pix?: { devolucoes?: object[] }[] }) => ({
      ...body,
      pix: body.pix?.map((pix) => ({
        ...pix,
        devolucoes: pix.devolucoes?.map((devolucao) => ({ ...devolucao, natureza: "MED_NOVA" })),
      })),
    });
    at.psp.fail(GET, { amend });
    await notifyApp();
    expect(await shown(id)).toMatchObject({ status: "refunded", devolucoes: [{ natureza: "MED_NOVA" }] });
    const rows = await t.sql`select to_jsonb(d)::text as text from devolucoes d`;
    expect(rows.map(({ text }) => String(text)).join()).not.toContain("Francisco");
  });
});

describe("the PSP is asked about a paid charge", () => {
  const countReadsDuring = async (ms: number, everyMs: number): Promise<number> => {
    let looks = 0;
    for (let passed = 0; passed < ms; passed += everyMs) {
      at.psp.calls.length = 0;
      await app.passes(everyMs);
      await app.reconcile();
      looks += at.psp.calls.filter((call) => call === GET).length;
    }
    return looks;
  };

  test("each hour at first, each day at the end, and not after 90 days", async () => {
    await t.sql`update payments set status = 'pending', expires_at = now() - interval '1 day', created_at = now() - interval '200 days'`;
    const { id } = await paid();
    const hourly = await countReadsDuring(6 * HOUR, HOUR / 2);
    expect(hourly).toBeGreaterThanOrEqual(4);
    expect(hourly).toBeLessThanOrEqual(6);
    await app.passes(40 * DAY);
    await app.reconcile();
    const daily = await countReadsDuring(4 * DAY, 12 * HOUR);
    expect(daily).toBeGreaterThanOrEqual(3);
    expect(daily).toBeLessThanOrEqual(4);
    await app.passes(60 * DAY);
    expect(await countReadsDuring(2 * DAY, DAY)).toBe(0);
    expect((await app.row(id))?.status).toBe("paid");
  }, 240_000);

  test("once in ten seconds, however often its webhook fires", async () => {
    const { txid } = await paid();
    await app.passes(11_000);
    at.psp.calls.length = 0;
    for (let times = 0; times < 20; times++) await at.psp.forge(txid);
    await t.settle();
    expect(at.psp.calls.filter((call) => call === GET)).toHaveLength(1);
  });
});
