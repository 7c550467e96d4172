import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEBTOR, PAYER } from "../../support/psp/bank.ts";
import { openPixAtPsp, type PixAtPsp, pixErrorOf } from "../../support/psp/pix-at-psp.ts";
import { readBrCode } from "../../support/psp/read-br-code.ts";

const PUT = "PUT /cob/{txid}";
const GET = "GET /cob/{txid}";

let at: PixAtPsp;
beforeEach(async () => {
  at = await openPixAtPsp();
});
afterEach(() => at[Symbol.asyncDispose]());

const apiCalls = () => at.psp.calls.filter((call) => !call.startsWith("POST"));
const amend = (change: object | ((cob: Record<string, unknown>) => object)) => ({
  amend: (cob: Record<string, unknown>) => ({
    ...cob,
    ...(typeof change === "function" ? change(cob) : change),
  }),
});

describe("ordering a charge", () => {
  test("sends the PSP only the amount, the key, the expiry and the purpose", async () => {
    const order = at.order({ amountCents: 123_405 });
    await at.pix.createCob(order);
    const [request = ""] = at.psp.received.filter((received) => received.startsWith(PUT));
    expect(JSON.parse(request.slice(request.indexOf('{"calendario"')))).toEqual({
      calendario: { expiracao: 1800 },
      valor: { original: "1234.05" },
      chave: at.psp.config.key,
      solicitacaoPagador: "Exameteca: Essencial",
    });
    expect(at.psp.bank.cobs.get(order.txid)).toMatchObject({
      cents: 123_405,
      expiracao: 1800,
      status: "ATIVA",
    });
  });

  test("returns the PSP's own code if it has one", async () => {
    const { brCode = "" } = await at.pix.createCob(at.order());
    expect(readBrCode(brCode)).toMatchObject({ merchantName: "Fulano de Tal" });
  });

  test.each([
    { location: "https://pix.example.com/qr/v2/abc", loc: undefined },
    { location: undefined, loc: { location: "pix.example.com/qr/v2/abc" } },
    { location: "pix.example.com/qr/v2/abc", pixCopiaECola: "x".repeat(513) },
    { location: "pix.example.com/qr/v2/abc", pixCopiaECola: "" },
    { location: "pix.example.com/qr/v2/abc", pixCopiaECola: null, loc: null },
  ])("makes the code if the PSP returns only the charge's location: %p", async (changes) => {
    at.psp.fail(PUT, amend({ pixCopiaECola: undefined, ...changes }));
    const { brCode = "" } = await at.pix.createCob(at.order());
    expect(readBrCode(brCode)).toMatchObject({
      ...{ location: "pix.example.com/qr/v2/abc", txid: "***", amountCents: undefined },
      ...{ merchantName: "Clinica Sao Joao", merchantCity: "Sao Paulo" },
    });
  });

  test("fails if the charge can't be paid in any way", async () => {
    const mute = amend({ pixCopiaECola: undefined, location: "x".repeat(78), loc: undefined });
    at.psp.fail(PUT, ...Array.from({ length: 10 }, () => mute));
    expect((await pixErrorOf(at.pix.createCob(at.order()))).kind).toBe("unavailable");
  });

  test.each(["lostAnswer", "cutAnswer", "garbage"] as const)(
    "makes one charge when the answer is lost (%s)",
    async (fault) => {
      at.psp.fail(PUT, fault);
      const order = at.order();
      const cob = await at.pix.createCob(order);
      expect(cob).toMatchObject({ txid: order.txid, status: "ATIVA", amountCents: 1990 });
      expect(apiCalls()).toEqual([PUT, PUT]);
      expect([...at.psp.bank.cobs.keys()]).toEqual([order.txid]);
    },
  );

  test.each([400, 409, 422] as const)(
    "finds the charge after a lost answer when the PSP refuses a repeated txid with %i",
    async (repeated) => {
      at.psp.bank.manners.repeated = repeated;
      at.psp.fail(PUT, "lostAnswer");
      const order = at.order();
      const cob = await at.pix.createCob(order);
      expect(cob).toMatchObject({ txid: order.txid, status: "ATIVA", amountCents: 1990 });
      expect(readBrCode(cob.brCode ?? "").location).toContain(order.txid);
      expect(apiCalls()).toEqual([PUT, PUT, GET]);
    },
  );

  test("reports that the charge was paid meanwhile", async () => {
    const order = at.order();
    await at.pix.createCob(order);
    const [paid] = at.psp.pay(order.txid);
    const cob = await at.pix.createCob(order);
    expect(cob.status).toBe("CONCLUIDA");
    expect(cob.pix.map(({ endToEndId }) => endToEndId)).toEqual([paid?.endToEndId ?? ""]);
  });

  test("rejects another amount under the same txid and leaves the charge as it is", async () => {
    const order = at.order();
    await at.pix.createCob(order);
    const error = await pixErrorOf(at.pix.createCob({ ...order, amountCents: 1991 }));
    expect(error).toMatchObject({ kind: "rejected", code: "diverges" });
    expect((await at.pix.readCob(order.txid))?.amountCents).toBe(1990);
  });

  test.each([
    { valor: { original: "19.91" } },
    { valor: { original: "0.19" } },
    { chave: "outra@example.com" },
  ])("rejects a charge that is not the ordered one: %p", async (changes) => {
    at.psp.fail(PUT, amend(changes));
    const error = await pixErrorOf(at.pix.createCob(at.order()));
    expect(error).toMatchObject({ kind: "rejected", code: "diverges" });
  });

  test("accepts the key in capitals as the same key", async () => {
    at.psp.fail(PUT, amend({ chave: at.psp.config.key.toUpperCase() }));
    expect((await at.pix.createCob(at.order())).status).toBe("ATIVA");
  });

  test("doesn't take another charge's answer for its own", async () => {
    at.psp.fail(PUT, amend({ txid: at.pix.newTxid() }));
    expect((await pixErrorOf(at.pix.createCob(at.order()))).kind).toBe("unavailable");
  });

  test.each(["19.9", "19,90", "1990", 19.9, "-19.90", "19.900", "99999999999.00", null, " 19.90"])(
    "refuses an amount written %p",
    async (original) => {
      at.psp.fail(PUT, ...Array.from({ length: 10 }, () => amend({ valor: { original } })));
      const error = await pixErrorOf(at.pix.createCob(at.order()));
      expect(error).toMatchObject({ kind: "unavailable", code: "nonsense" });
      expect(error.message).toContain("valor.original");
    },
  );

  test("is rejected with the PSP's reason if the txid has no charge", async () => {
    const error = await pixErrorOf(at.pix.createCob(at.order({ expiresInSeconds: 0 })));
    expect(error).toMatchObject({ kind: "rejected", status: 400, code: "CobOperacaoInvalida" });
    expect(error.message).toContain("cob.calendario.expiracao");
    expect(apiCalls()).toEqual([PUT, GET]);
  });

  test("is unavailable, not rejected, while the txid's charge can't be read", async () => {
    at.psp.fail(PUT, { status: 409 });
    at.psp.fail(GET, ...Array.from({ length: 10 }, () => ({ status: 503 })));
    expect((await pixErrorOf(at.pix.createCob(at.order()))).kind).toBe("unavailable");
  });
});

describe("an order whose first answer was lost", () => {
  test("isn't rejected because the charge can't be read yet", async () => {
    at.psp.fail(PUT, "lostAnswer", { status: 409 });
    at.psp.fail(GET, { status: 404, type: "NaoEncontrado" });
    const order = at.order();
    expect((await pixErrorOf(at.pix.createCob(order))).kind).toBe("unavailable");
    expect((await at.pix.createCob(order)).status).toBe("ATIVA");
  });

  test("isn't rejected because the PSP has withdrawn our rights meanwhile", async () => {
    const denied = { status: 403, type: "AcessoNegado" };
    at.psp.fail(PUT, "lostAnswer", denied);
    at.psp.fail(GET, denied);
    expect((await pixErrorOf(at.pix.createCob(at.order()))).kind).toBe("unavailable");
  });

  test("is still rejected once the PSP has refused both tries", async () => {
    at.psp.fail(PUT, { status: 429 }, { status: 409 });
    expect((await pixErrorOf(at.pix.createCob(at.order()))).kind).toBe("rejected");
  });
});

describe("reading a charge", () => {
  test("returns each Pix that paid it, with its amount to the cent and its time", async () => {
    const order = at.order();
    await at.pix.createCob(order);
    const first = at.psp.pay(order.txid, { amountCents: 1001, at: new Date("2026-11-21T12:03:04.567Z") });
    const others = at.psp.pay(order.txid, { times: 2 });
    const cob = await at.pix.readCob(order.txid);
    expect(cob?.status).toBe("CONCLUIDA");
    expect(cob?.pix).toEqual(
      [...first, ...others].map((pix) => ({
        endToEndId: pix.endToEndId,
        amountCents: pix.cents,
        paidAt: pix.at,
        devolucoes: [],
      })),
    );
    expect(cob?.pix.map(({ amountCents }) => amountCents)).toEqual([1001, 1990, 1990]);
  });

  test.each([
    ["2026-11-21T09:03:04-03:00", "2026-11-21T12:03:04.000Z"],
    ["2026-11-21T12:03:04.123456Z", "2026-11-21T12:03:04.123Z"],
    ["2026-11-21T09:03:04.5", "2026-11-21T12:03:04.500Z"],
  ])("understands the time %s", async (horario, expected) => {
    const order = at.order();
    await at.pix.createCob(order);
    at.psp.pay(order.txid);
    const dated = amend(({ pix }) => ({ pix: (pix as object[]).map((entry) => ({ ...entry, horario })) }));
    at.psp.fail(GET, dated);
    expect((await at.pix.readCob(order.txid))?.pix[0]?.paidAt.toISOString()).toBe(expected);
  });

  test.each(["ontem", "2026-13-01T00:00:00Z", "2026-11-21", ""])("refuses the time %p", async (horario) => {
    const order = at.order();
    await at.pix.createCob(order);
    at.psp.pay(order.txid);
    const dated = amend(({ pix }) => ({ pix: (pix as object[]).map((entry) => ({ ...entry, horario })) }));
    at.psp.fail(GET, ...Array.from({ length: 10 }, () => dated));
    expect((await pixErrorOf(at.pix.readCob(order.txid))).code).toBe("nonsense");
  });

  test.each(["REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"] as const)("tells %s", async (status) => {
    const order = at.order();
    await at.pix.createCob(order);
    const cob = at.psp.bank.cobs.get(order.txid);
    if (cob) cob.status = status;
    expect((await at.pix.readCob(order.txid))?.status).toBe(status);
  });

  test("treats a status of a later API as open and still returns what was paid", async () => {
    const order = at.order();
    await at.pix.createCob(order);
    at.psp.pay(order.txid);
    at.psp.fail(GET, amend({ status: "CONCLUIDA_EM_PARTE" }));
    expect(await at.pix.readCob(order.txid)).toMatchObject({ status: "ATIVA", pix: [{ amountCents: 1990 }] });
  });

  test("doesn't take another charge's answer for its own", async () => {
    const order = at.order();
    await at.pix.createCob(order);
    at.psp.fail(GET, amend({ txid: at.pix.newTxid() }));
    expect((await pixErrorOf(at.pix.readCob(order.txid))).kind).toBe("unavailable");
  });

  test.each([
    { status: 404, type: "CobNaoEncontrado" },
    { status: 410, type: "PermanentementeRemovido" },
    { status: 400, type: "NaoEncontrado" },
    { status: 404 },
    { status: 404, json: { nome: "cobranca_nao_encontrada" } },
    { status: 404, json: { type: "https://psp.example.com/erros/SemCobranca" } },
  ])("returns none when the PSP answers %p", async (fault) => {
    at.psp.fail(GET, fault);
    expect(await at.pix.readCob(at.pix.newTxid())).toBeUndefined();
  });

  test("doesn't report a wrong address as an unknown charge", async () => {
    at.psp.fail(GET, { status: 404, page: "<html>Not Found</html>" });
    const error = await pixErrorOf(at.pix.readCob(at.pix.newTxid()));
    expect(error).toMatchObject({ kind: "unavailable", status: 404 });
  });
});

describe("the people who pay", () => {
  test("stay with the PSP: neither answers nor failures name them", async () => {
    const order = at.order();
    const told: unknown[] = [await at.pix.createCob(order)];
    const [paid] = at.psp.pay(order.txid);
    const refund = { endToEndId: paid?.endToEndId ?? "", id: "devolucao1", amountCents: 1990 };
    told.push(await at.pix.readCob(order.txid), await at.pix.refund(refund), await at.pix.readRefund(refund));
    told.push(await pixErrorOf(at.pix.createCob(at.order({ expiresInSeconds: -1 }))));
    told.push(await pixErrorOf(at.pix.refund({ ...refund, id: "outra", amountCents: 1 })));
    at.psp.fail(GET, ...Array.from({ length: 10 }, () => amend({ valor: PAYER })));
    told.push(await pixErrorOf(at.pix.readCob(order.txid)));
    const text = Bun.inspect(told, { depth: 20 }) + JSON.stringify(told);
    expect(text).toContain(order.txid);
    const persons = [PAYER.cpf, "Francisco", DEBTOR.cnpj];
    expect(persons.filter((person) => text.includes(person))).toEqual([]);
  });
});
