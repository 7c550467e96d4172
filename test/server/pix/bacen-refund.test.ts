import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openPixAtPsp, type PixAtPsp, pixErrorOf } from "../../support/psp/pix-at-psp.ts";

const PUT = "PUT /pix/{e2eid}/devolucao/{id}";
const GET = "GET /pix/{e2eid}/devolucao/{id}";
const PUT_WEBHOOK = "PUT /webhook/{chave}";
const GET_WEBHOOK = "GET /webhook/{chave}";

let at: PixAtPsp;
beforeEach(async () => {
  at = await openPixAtPsp();
});
afterEach(() => at[Symbol.asyncDispose]());

const apiCalls = () => at.psp.calls.filter((call) => !call.startsWith("POST") && !call.includes("/cob/"));

describe("giving money back", () => {
  let refund: { endToEndId: string; id: string; amountCents: number };
  beforeEach(async () => {
    const order = at.order();
    await at.pix.createCob(order);
    const [paid] = at.psp.pay(order.txid);
    refund = { endToEndId: paid?.endToEndId ?? "", id: at.pix.newTxid(), amountCents: 1990 };
  });

  test.each(["DEVOLVIDO", "NAO_REALIZADO"] as const)("is under way first, then %s", async (status) => {
    const { id, amountCents } = refund;
    expect(await at.pix.refund(refund)).toEqual({ id, amountCents, status: "EM_PROCESSAMENTO" });
    expect((await at.pix.readRefund(refund))?.status).toBe("EM_PROCESSAMENTO");
    at.psp.settleRefund(id, status);
    expect(await at.pix.readRefund(refund)).toEqual({ id, amountCents, status });
    // A repeated request returns its current state.
    expect(await at.pix.refund(refund)).toEqual({ id, amountCents, status });
    expect(at.psp.refunds().length).toBe(1);
  });

  test.each([
    ["lostAnswer", "same"],
    ["cutAnswer", 409],
    ["garbage", 422],
  ] as const)("happens once when the answer is lost (%s; the PSP says %p)", async (fault, repeated) => {
    at.psp.bank.manners.repeated = repeated;
    at.psp.fail(PUT, fault);
    expect(await at.pix.refund(refund)).toMatchObject({ id: refund.id, amountCents: 1990 });
    expect(at.psp.refunds().map(({ cents }) => cents)).toEqual([1990]);
    expect(apiCalls()).toEqual([PUT, PUT, GET]);
  });

  test("is exact to the cent, also in parts", async () => {
    await at.pix.refund({ ...refund, id: "um", amountCents: 1 });
    await at.pix.refund({ ...refund, id: "outro", amountCents: 1989 });
    expect(at.psp.refunds().map(({ cents }) => cents)).toEqual([1, 1989]);
  });

  test("stays undecided as long as the PSP doesn't let us read it", async () => {
    at.psp.fail(PUT, "lostAnswer", { status: 409 });
    at.psp.fail(GET, { status: 403, type: "AcessoNegado" }, { status: 403, type: "AcessoNegado" });
    expect((await pixErrorOf(at.pix.refund(refund))).kind).toBe("unavailable");
    expect((await pixErrorOf(at.pix.readRefund(refund))).kind).toBe("unavailable");
    expect((await at.pix.readRefund(refund))?.status).toBe("EM_PROCESSAMENTO");
  });

  test("of more than was paid is rejected", async () => {
    const error = await pixErrorOf(at.pix.refund({ ...refund, amountCents: 1991 }));
    expect(error).toMatchObject({ kind: "rejected", code: "PixDevolucaoInvalida" });
    expect(at.psp.refunds()).toEqual([]);
  });

  test("of another amount under an id that was used is rejected", async () => {
    await at.pix.refund({ ...refund, amountCents: 500 });
    const error = await pixErrorOf(at.pix.refund({ ...refund, amountCents: 600 }));
    expect(error).toMatchObject({ kind: "rejected", code: "diverges" });
    expect(at.psp.refunds().map(({ cents }) => cents)).toEqual([500]);
  });

  test("for a Pix that never came is rejected", async () => {
    const error = await pixErrorOf(at.pix.refund({ ...refund, endToEndId: `E${"0".repeat(31)}` }));
    expect(error).toMatchObject({ kind: "rejected", code: "PixNaoEncontrado" });
  });

  test("isn't done as long as the PSP uses a status that we don't know", async () => {
    at.psp.fail(PUT, { amend: (body: object) => ({ ...body, status: "QUASE" }) });
    expect((await at.pix.refund(refund)).status).toBe("EM_PROCESSAMENTO");
  });

  test("isn't taken as done when the answer is about another one", async () => {
    at.psp.fail(PUT, { amend: (body: object) => ({ ...body, id: "outra", status: "DEVOLVIDO" }) });
    expect((await pixErrorOf(at.pix.refund(refund))).kind).toBe("unavailable");
  });
});

describe("the webhook", () => {
  const url = "https://exames.example.com/api/payments/webhook/segredo";

  test("is registered if there is none or another, and otherwise left alone", async () => {
    await at.pix.registerWebhook(url);
    expect(at.psp.bank.webhookUrl).toBe(url);
    await at.pix.registerWebhook(url);
    expect(apiCalls()).toEqual([GET_WEBHOOK, PUT_WEBHOOK, GET_WEBHOOK]);
    at.psp.bank.webhookUrl = "https://antigo.example.com";
    await at.pix.registerWebhook(url);
    expect(at.psp.bank.webhookUrl).toBe(url);
  });

  test("that the PSP refuses is rejected", async () => {
    const error = await pixErrorOf(at.pix.registerWebhook("exames.example.com"));
    expect(error).toMatchObject({ kind: "rejected", code: "WebhookOperacaoInvalida" });
    // The PSP of this test checks what it is sent; this call is meant to be wrong.
    at.psp.breaches.length = 0;
  });

  test.each(["+5511987654321", "caixa/1#a?@example.com", "11222333000181"])(
    "is registered under the key %s",
    async (key) => {
      await using other = await openPixAtPsp({ key });
      await other.pix.registerWebhook(url);
      expect(other.psp.bank.webhookUrl).toBe(url);
      expect((await other.pix.createCob(other.order())).status).toBe("ATIVA");
    },
  );
});
