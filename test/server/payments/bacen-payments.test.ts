import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { AdminPayment, Payment } from "../../../src/shared/api/payments.ts";
import { type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { type AppAtPsp, openAppAtPsp } from "../../support/psp/app-at-psp.ts";
import type { PixAtPsp } from "../../support/psp/pix-at-psp.ts";
import { until } from "../../support/until.ts";

/*
 * The whole server at a PSP over mutual TLS. Whatever fails there or on the way, the account must end either paid
 * exactly once, for the amount that was paid, or unchanged.
 */
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const PUT = "PUT /cob/{txid}";
const GET = "GET /cob/{txid}";

let app: AppAtPsp;
let t: TestApp;
let at: PixAtPsp;
let person: Person;

beforeAll(async () => {
  app = await openAppAtPsp();
  ({ t, at } = app);
}, 240_000);
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(async () => {
  person = await app.addPayer();
});
afterEach(() => app.reset());

async function create(): Promise<{ id: string; txid: string; payment: Payment }> {
  const answer = await app.ask();
  expect(answer.status).toBe(201);
  const payment = (await answer.json()) as Payment;
  return { id: payment.id, txid: await txidOf(payment.id), payment };
}

async function txidOf(id: string): Promise<string> {
  return String((await t.sql`select txid from payments where id = ${id}`)[0]?.txid);
}

/** Paid once: one period of the plan from now, one receipt in the audit. */
async function expectPaidOnce(id: string): Promise<void> {
  expect((await app.row(id))?.status).toBe("paid");
  const { plan, status, expiresAt } = await app.subscription();
  expect(plan.name).toBe("Essencial");
  expect(status).toBe("active");
  const days = (Date.parse(expiresAt ?? "") - t.deps.clock.now().getTime()) / DAY;
  expect(days).toBeGreaterThan(29.9);
  expect(days).toBeLessThanOrEqual(30);
  const [paid] = await t.sql`select count(*)::int as times from audit_events
    where action = 'payment.paid' and account_id = ${person.id}`;
  expect(paid?.times).toBe(1);
}

async function expectOnTrial(): Promise<void> {
  expect((await app.subscription()).plan.name).toBe("Avaliação");
}

describe("creating a charge", () => {
  test("whose first answer is lost makes one charge, and its code is shown", async () => {
    at.psp.fail(PUT, "lostAnswer");
    const { txid, payment } = await create();
    expect(payment.pixCopyPaste).toContain(txid);
    expect([...at.psp.bank.cobs.keys()].filter((known) => known === txid)).toHaveLength(1);
  }, 240_000);

  test("fetches another token when one is refused once", async () => {
    at.psp.fail(PUT, { status: 401 });
    expect((await create()).payment.status).toBe("pending");
    expect(at.psp.calls.filter((call) => call === PUT)).toHaveLength(2);
  });

  test.each([
    ["429", { status: 429, headers: { "retry-after": "1" } }],
    ["500", { status: 500, type: "ErroInternoDoServidor" }],
  ])("goes on after one %s", async (_name, fault) => {
    at.psp.fail(PUT, fault);
    expect((await create()).payment.pixQrcode).toStartWith("data:image/");
  });

  test("reports a PSP that is down, and continues with the same charge when it is back", async () => {
    at.psp.fail(PUT, ...Array.from({ length: 12 }, () => ({ status: 503, type: "ServicoIndisponivel" })));
    const answer = await app.ask();
    expect(answer.status).toBe(503);
    expect(await problemOf(answer)).toMatchObject({
      code: "pix.unavailable",
      message: "The QR code could not be generated. Please try again.",
    });
    const [open] = await t.sql`select id, txid, status from payments where user_id = ${person.id}`;
    expect(open?.status).toBe("pending");
    at.psp.reset();
    const { id, txid, payment } = await create();
    expect([id, txid]).toEqual([open?.id, open?.txid]);
    expect(payment.pixCopyPaste).toContain(txid);
    await expectOnTrial();
  }, 240_000);

  test("fails if the PSP rejects the charge for good, and the next charge is another", async () => {
    at.psp.fail(PUT, { status: 400, type: "CobOperacaoInvalida" });
    expect((await app.ask()).status).toBe(503);
    const [failed] = await t.sql`select id, status, failure from payments where user_id = ${person.id}`;
    expect(failed).toMatchObject({ status: "failed", failure: "rejected" });
    expect((await create()).id).not.toBe(failed?.id);
  });

  test("is another than one of a time that has yet to come, whose code the PSP no longer takes", async () => {
    const before = await create();
    // The clock was ahead, and was set back.
    await t.sql`update payments set created_at = created_at + interval '3 days',
      expires_at = expires_at + interval '3 days' where id = ${before.id}`;
    expect((await create()).id).not.toBe(before.id);
  });

  test("is another than one that the PSP withdrew, whose code it no longer takes", async () => {
    const withdrawn = await create();
    const cob = at.psp.bank.cobs.get(withdrawn.txid);
    if (cob) cob.status = "REMOVIDA_PELO_PSP";
    await app.passes(MINUTE);
    await app.reconcile();
    const seen = await t.call("GET", `/api/payments/${withdrawn.id}`, { as: person });
    expect(await seen.json()).toMatchObject({ status: "expired" });
    expect((await create()).id).not.toBe(withdrawn.id);
  });

  test("in two tabs at the same time makes one charge", async () => {
    const [one, two] = await Promise.all([create(), create()]);
    expect(two.id).toBe(one.id);
    expect(two.payment.pixCopyPaste).toBe(one.payment.pixCopyPaste);
  });
});

describe("a charge that was paid", () => {
  test("counts when the PSP reports it, also when it reports it twice", async () => {
    const { id, txid } = await create();
    at.psp.pay(txid);
    for (const answer of await at.psp.notify(txid, { times: 2 })) expect(answer.status).toBe(200);
    await t.settle();
    await expectPaidOnce(id);
    await at.psp.notify(txid, { times: 3 });
    await t.settle();
    await expectPaidOnce(id);
  });

  test("counts when its report is lost, by the next reconciliation", async () => {
    const { id, txid } = await create();
    at.psp.pay(txid);
    expect((await app.row(id))?.status).toBe("pending");
    await app.passes(MINUTE);
    await app.reconcile();
    await expectPaidOnce(id);
  });

  test("counts when its report is lost and its dialog asks", async () => {
    const { id, txid } = await create();
    at.psp.pay(txid);
    await t.call("GET", `/api/payments/${id}`, { as: person });
    await t.settle();
    await expectPaidOnce(id);
  });

  test("counts when it is reported before the creation was answered", async () => {
    // With a token in hand: the first call must be carried out.
    await at.pix.readCob("0".repeat(32));
    const settled = Promise.withResolvers<void>();
    const slow = { until: settled.promise };
    at.psp.fail(PUT, "lostAnswer", slow, slow, slow);
    const arrived = at.psp.nextCall(PUT);
    const asked = app.ask();
    await arrived;
    const [open] = await t.sql`select id, txid from payments where user_id = ${person.id}`;
    const txid = String(open?.txid);
    await until(() => at.psp.bank.cobs.has(txid));
    at.psp.pay(txid);
    await at.psp.notify(txid);
    await t.settle();
    settled.resolve();
    const answer = await asked;
    expect(await answer.json()).toMatchObject({ id: open?.id, status: "paid", pixCopyPaste: null });
    await expectPaidOnce(String(open?.id));
  }, 240_000);

  test("counts when the PSP was down as it was reported", async () => {
    const { id, txid } = await create();
    at.psp.pay(txid);
    at.psp.fail(GET, ...Array.from({ length: 12 }, () => ({ status: 500 })));
    await at.psp.notify(txid);
    await t.settle();
    expect((await app.row(id))?.status).toBe("pending");
    at.psp.reset();
    await app.passes(MINUTE);
    await app.reconcile();
    await expectPaidOnce(id);
  }, 240_000);

  test("counts when its report is lost and this server was off for a week", async () => {
    const { id, txid } = await create();
    at.psp.pay(txid);
    await app.passes(7 * DAY);
    await app.reconcile();
    await expectPaidOnce(id);
  });

  test("before another plan was paid does not end that plan when it is known later", async () => {
    const first = await create();
    at.psp.pay(first.txid);
    await app.passes(30_000);
    const [plan] = await t.sql`select id from plans where slug = 'profissional'`;
    const asked = await t.call("POST", "/api/payments/create", { as: person, json: { planId: plan?.id } });
    const { id } = (await asked.json()) as Payment;
    const txid = await txidOf(id);
    at.psp.pay(txid);
    await at.psp.notify(txid);
    await t.settle();
    expect((await app.subscription()).plan.name).toBe("Profissional");
    await app.passes(MINUTE);
    await app.reconcile();
    expect(await app.row(first.id)).toMatchObject({ status: "paid", failure: "superseded" });
    const mails = await readOutbox(t.deps.config.dataDir);
    const told = mails.findLast(
      ({ to, subject }) => to.includes(person.email) && subject.endsWith("Essencial"),
    );
    expect(told?.text).toContain("the Essencial plan did not begin");
    const { plan: kept, expiresAt } = await app.subscription();
    expect(kept.name).toBe("Profissional");
    expect((Date.parse(expiresAt ?? "") - t.deps.clock.now().getTime()) / DAY).toBeGreaterThan(364.9);
  });

  test("counts also after its code expired here", async () => {
    const { id, txid } = await create();
    await app.passes(45 * MINUTE);
    expect(
      (await (await t.call("GET", `/api/payments/${id}`, { as: person })).json()) as Payment,
    ).toMatchObject({
      status: "expired",
    });
    await t.settle();
    at.psp.pay(txid);
    await app.passes(MINUTE);
    await at.psp.notify(txid);
    await t.settle();
    await expectPaidOnce(id);
  });

  test("with another amount gives nothing, and can be given back", async () => {
    const { id, txid } = await create();
    at.psp.pay(txid, { amountCents: 199 });
    await at.psp.notify(txid);
    await t.settle();
    expect(await app.row(id)).toMatchObject({ status: "failed", failure: "wrong_amount" });
    await expectOnTrial();
    const listed = await t.call("GET", "/api/payments?status=failed&limit=200", { as: app.admin });
    const shown = ((await listed.json()) as AdminPayment[]).find((payment) => payment.id === id);
    expect(shown).toMatchObject({ canRefund: true, canConfirm: false, failure: "wrong_amount" });
    const refund = await t.call("POST", `/api/payments/${id}/refund`, { as: app.admin });
    expect(await refund.json()).toMatchObject({ status: "failed", refundStatus: "EM_PROCESSAMENTO" });
    const [given] =
      at.psp.bank.cobs.get(txid)?.pix.flatMap(({ devolucoes }) => [...devolucoes.values()]) ?? [];
    expect(given).toMatchObject({ cents: 199 });
    at.psp.settleRefund(String((await app.row(id))?.devolucao_id), "DEVOLVIDO");
    await app.reconcile();
    expect((await app.row(id))?.status).toBe("refunded");
    await expectOnTrial();
    const mails = (await readOutbox(t.deps.config.dataDir)).filter(({ to }) => to.includes(person.email));
    expect(mails.at(-1)?.text).toContain("differed from the plan's price");
  });

  test("listed at a second charge counts once, the operator is told once, and others are not held up", async () => {
    const first = await create();
    const payer = await app.addPayer();
    const second = await create();
    person = await app.addPayer();
    const third = await create();
    const [pix] = at.psp.pay(first.txid);
    const cob = at.psp.bank.cobs.get(second.txid);
    if (!pix || !cob) throw new Error("nothing was paid");
    await at.psp.notify(first.txid);
    await t.settle();
    Object.assign(cob, { pix: [pix], status: "CONCLUIDA" });
    at.psp.pay(third.txid);
    const told = async () =>
      (await readOutbox(t.deps.config.dataDir)).filter(({ text }) => text.includes(second.txid));
    for (let times = 0; times < 3; times++) {
      await app.passes(15 * MINUTE);
      await app.reconcile();
    }
    expect(await app.row(second.id)).toMatchObject({ status: "pending", failure: "repeated_pix" });
    await expectPaidOnce(third.id);
    const failed =
      await t.sql`select 1 from pgboss.job where name = 'pix.check' and state in ('failed', 'retry')`;
    expect(failed).toBeEmpty();
    expect(await told()).toHaveLength(1);
    const [mail] = await told();
    expect(mail?.text).toContain(first.txid);
    // The PSP puts it right.
    cob.pix = [];
    at.psp.pay(second.txid);
    await app.passes(15 * MINUTE);
    await app.reconcile();
    expect(await app.row(second.id)).toMatchObject({ status: "paid", failure: null });
    [app.person, person] = [payer, payer];
    await expectPaidOnce(second.id);
  });

  test("is not given back by the return of another payment's Pix that the PSP lists there too", async () => {
    const first = await create();
    person = await app.addPayer();
    const second = await create();
    const [pix] = at.psp.pay(first.txid);
    const cob = at.psp.bank.cobs.get(second.txid);
    if (!pix || !cob) throw new Error("nothing was paid");
    await at.psp.notify(first.txid);
    await t.settle();
    at.psp.pay(second.txid);
    cob.pix = [pix, ...cob.pix];
    await at.psp.notify(second.txid);
    await t.settle();
    await expectPaidOnce(second.id);
    at.psp.takeBack(first.txid);
    await app.passes(2 * DAY);
    await app.reconcile();
    expect((await app.row(first.id))?.status).toBe("refunded");
    expect(await app.row(second.id)).toMatchObject({ status: "paid", failure: null });
    const returned = await t.sql`select 1 from devolucoes where payment_id = ${second.id}`;
    expect(returned).toBeEmpty();
  });

  test("counts when the PSP lists its Pix only after the charge is complete", async () => {
    const { id, txid } = await create();
    const [pix] = at.psp.pay(txid);
    const cob = at.psp.bank.cobs.get(txid);
    if (!pix || !cob) throw new Error("nothing was paid");
    cob.pix = [];
    await at.psp.notify(txid);
    await app.passes(MINUTE);
    await app.reconcile();
    expect((await app.row(id))?.status).toBe("pending");
    cob.pix = [pix];
    await app.passes(2 * MINUTE);
    await app.reconcile();
    await expectPaidOnce(id);
  });

  test("counts also if its charge was withdrawn while it was on its way", async () => {
    const { id, txid } = await create();
    at.psp.pay(txid);
    const cob = at.psp.bank.cobs.get(txid);
    if (cob) cob.status = "REMOVIDA_PELO_USUARIO_RECEBEDOR";
    await at.psp.notify(txid);
    await t.settle();
    await expectPaidOnce(id);
  });

  test("counts also if its charge is seen withdrawn before its Pix is listed; without one it fails a day later", async () => {
    const withdrawn = async () => {
      const made = await create();
      const cob = at.psp.bank.cobs.get(made.txid);
      if (cob) cob.status = "REMOVIDA_PELO_PSP";
      await app.passes(MINUTE);
      await app.reconcile();
      return made;
    };
    const { id, txid } = await withdrawn();
    at.psp.pay(txid);
    await app.passes(MINUTE);
    await at.psp.notify(txid);
    await t.settle();
    await expectPaidOnce(id);
    person = await app.addPayer();
    const unpaid = await withdrawn();
    await app.passes(25 * 60 * MINUTE);
    await app.reconcile();
    expect(await app.row(unpaid.id)).toMatchObject({ status: "failed", failure: "removed" });
    await expectOnTrial();
  });

  test.each([["notify"], ["reconcile"]])(
    "counts although its last look-up was at a time that has yet to come, by %s",
    async (by) => {
      const { id, txid } = await create();
      at.psp.pay(txid);
      // The clock was ahead, and was set back.
      const ahead = new Date(t.deps.clock.now().getTime() + 3 * DAY);
      await t.sql`update payments set checked_at = ${ahead.toISOString()}::timestamptz where id = ${id}`;
      await app.passes(MINUTE);
      if (by === "notify") await at.psp.notify(txid);
      else await app.reconcile();
      await t.settle();
      await expectPaidOnce(id);
    },
  );

  test("counts when it is reported beside a Pix of somebody else", async () => {
    const { id, txid } = await create();
    at.psp.pay(txid);
    const { pathname } = new URL(`${at.psp.bank.webhookUrl}/pix`);
    const json = { pix: [{ txid: null }, {}, { txid }] };
    expect((await t.call("POST", pathname, { json })).status).toBe(200);
    await t.settle();
    await expectPaidOnce(id);
  });

  test("is never believed from the report alone", async () => {
    const { id, txid } = await create();
    expect((await at.psp.forge(txid, { amountCents: 1990 })).status).toBe(200);
    await at.psp.forge("0".repeat(32));
    const stranger = at.psp.bank.webhookUrl?.replace(/[^/]+$/, "a".repeat(32));
    expect((await at.psp.forge(txid, { amountCents: 1990, to: stranger })).status).toBe(404);
    await t.settle();
    expect((await app.row(id))?.status).toBe("pending");
    await expectOnTrial();
  });

  test("is looked up once in ten seconds, however often it is reported", async () => {
    const { txid } = await create();
    at.psp.calls.length = 0;
    for (let times = 0; times < 20; times++) await at.psp.forge(txid);
    await t.settle();
    expect(at.psp.calls.filter((call) => call === GET).length).toBeLessThanOrEqual(1);
  });

  test("can't be confirmed by an admin: the PSP knows", async () => {
    const { id } = await create();
    const answer = await t.call("POST", `/api/payments/${id}/confirm`, { as: app.admin });
    expect((await problemOf(answer)).code).toBe("payment.not_confirmable");
  });
});

describe("a refund at the PSP", () => {
  async function paid(): Promise<string> {
    const { id, txid } = await create();
    at.psp.pay(txid);
    await at.psp.notify(txid);
    await t.settle();
    return id;
  }
  const refund = (id: string) => t.call("POST", `/api/payments/${id}/refund`, { as: app.admin });
  const devolucaoOf = async (id: string) => String((await app.row(id))?.devolucao_id);

  test("is under way until the money is back, and only then ends the period", async () => {
    const id = await paid();
    expect(await (await refund(id)).json()).toMatchObject({
      status: "paid",
      refundStatus: "EM_PROCESSAMENTO",
      canRefund: false,
    });
    expect((await app.subscription()).status).toBe("active");
    at.psp.settleRefund(await devolucaoOf(id), "DEVOLVIDO");
    await app.reconcile();
    expect(await app.row(id)).toMatchObject({ status: "refunded" });
    expect((await app.subscription()).status).toBe("expired");
  });

  test("that is requested twice at the same time happens once", async () => {
    const id = await paid();
    await Promise.all([refund(id), refund(id)]);
    await app.reconcile();
    const [charge] = [...at.psp.bank.cobs.values()].slice(-1);
    expect(charge?.pix.flatMap(({ devolucoes }) => [...devolucoes.keys()])).toEqual([await devolucaoOf(id)]);
    const asked = await t.sql`select count(*)::int as times from audit_events
      where action = 'payment.refund_asked' and details->>'paymentId' = ${id}`;
    expect(asked[0]?.times).toBe(1);
  });

  test("that the PSP could not do leaves the plan as it is, and can be requested again", async () => {
    const id = await paid();
    await refund(id);
    const first = await devolucaoOf(id);
    at.psp.settleRefund(first, "NAO_REALIZADO");
    await app.reconcile();
    expect(await app.row(id)).toMatchObject({ status: "paid", devolucao_status: "NAO_REALIZADO" });
    expect((await app.subscription()).status).toBe("active");
    await refund(id);
    expect(await devolucaoOf(id)).not.toBe(first);
    at.psp.settleRefund(await devolucaoOf(id), "DEVOLVIDO");
    await app.reconcile();
    expect((await app.row(id))?.status).toBe("refunded");
  });

  test("whose answer is lost, or that a crash interrupted before its request, continues under its id", async () => {
    const id = await paid();
    at.psp.fail("PUT /pix/{e2eid}/devolucao/{id}", ...Array.from({ length: 6 }, () => "lostAnswer" as const));
    at.psp.fail("GET /pix/{e2eid}/devolucao/{id}", ...Array.from({ length: 12 }, () => ({ status: 500 })));
    await refund(id);
    expect(await app.row(id)).toMatchObject({ status: "paid", devolucao_status: "EM_PROCESSAMENTO" });
    at.psp.reset();
    await app.reconcile();
    at.psp.settleRefund(await devolucaoOf(id), "DEVOLVIDO");
    await app.reconcile();
    expect((await app.row(id))?.status).toBe("refunded");
    const other = await paid();
    await t.sql`update payments set devolucao_id = ${"f".repeat(32)}, devolucao_status = 'EM_PROCESSAMENTO'
      where id = ${other}`;
    await app.reconcile();
    at.psp.settleRefund("f".repeat(32), "DEVOLVIDO");
    await app.reconcile();
    expect((await app.row(other))?.status).toBe("refunded");
  }, 240_000);
});
