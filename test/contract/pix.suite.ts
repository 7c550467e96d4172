import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { CobOrder, Pix } from "../../src/server/pix/pix.ts";
import { readBrCode } from "../support/psp/read-br-code.ts";

export interface PixUnderTest extends AsyncDisposable {
  pix: Pix;
  /** The key that money goes to. */
  key: string;
  /** Pays the charge as a payer; returns the Pix that paid it. */
  pay(txid: string): Promise<string>;
}

/** The most that API Pix can carry: ten digits before the point. */
const MAX_CENTS = 999_999_999_999;

/** The promises of every {@link Pix}. */
export function describePix(name: string, makePix: () => Promise<PixUnderTest>): void {
  describe(`Pix: ${name}`, () => {
    let subject: PixUnderTest;
    let pix: Pix;
    beforeAll(async () => {
      subject = await makePix();
      pix = subject.pix;
    });
    afterAll(() => subject[Symbol.asyncDispose]());

    const order = (amountCents = 1990): CobOrder => ({
      ...{ txid: pix.newTxid(), amountCents, expiresInSeconds: 1800 },
      description: "Exameteca: Essencial",
    });

    test("every charge gets a txid of its own that a BR Code or API Pix can carry", () => {
      const txids = Array.from({ length: 1000 }, () => pix.newTxid());
      expect(new Set(txids).size).toBe(1000);
      const pattern = pix.provider === "local" ? /^[A-Za-z0-9]{1,25}$/ : /^[A-Za-z0-9]{26,35}$/;
      expect(txids.filter((txid) => !pattern.test(txid))).toEqual([]);
    });

    test("a charge is open, unpaid, and its code leads the payer's app to the key or to the charge", async () => {
      const ordered = order();
      const cob = await pix.createCob(ordered);
      expect(cob).toMatchObject({ txid: ordered.txid, status: "ATIVA", amountCents: 1990, pix: [] });
      const code = readBrCode(cob.brCode ?? "");
      if (code.location === undefined)
        expect(code).toMatchObject({ chave: subject.key, amountCents: 1990, txid: ordered.txid });
      else expect(code.location).toMatch(/^[\w.-]+\/[\w/.-]+$/);
    });

    test("the same txid is the same charge, however often and concurrently it is sent", async () => {
      const ordered = order();
      const first = await pix.createCob(ordered);
      const again = await Promise.all(Array.from({ length: 4 }, () => pix.createCob(ordered)));
      for (const cob of again) expect(cob).toEqual(first);
    });

    test("amounts are exact to the cent, from the smallest to the largest", async () => {
      const amounts = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: MAX_CENTS }));
      const isExact = fc.asyncProperty(amounts, async (amountCents) => {
        const cob = await pix.createCob(order(amountCents));
        expect(cob.amountCents).toBe(amountCents);
        const read = readBrCode(cob.brCode ?? "");
        if (read.location === undefined) expect(read.amountCents).toBe(amountCents);
      });
      await fc.assert(isExact, { numRuns: 60, examples: [[1], [10], [99], [100], [1990], [MAX_CENTS]] });
    });

    test("an unknown txid and an unknown refund are undefined, not an error", async () => {
      expect(await pix.readCob(pix.newTxid())).toBeUndefined();
      const refund = { endToEndId: `E${"0".repeat(31)}`, id: "desconhecida" };
      expect(await pix.readRefund(refund)).toBeUndefined();
    });

    test("a refund requested twice returns the money once", async () => {
      const { txid } = await pix.createCob(order());
      const endToEndId = await subject.pay(txid);
      const refund = { endToEndId, id: "devolucao1", amountCents: 1990 };
      const first = await pix.refund(refund);
      expect(first).toMatchObject({ id: "devolucao1", amountCents: 1990 });
      expect(["EM_PROCESSAMENTO", "DEVOLVIDO"]).toContain(first.status);
      expect(await pix.refund(refund)).toEqual(first);
    });

    test("the webhook may be registered again and again", async () => {
      await pix.registerWebhook("https://exames.example.com/api/payments/webhook/segredo");
      await pix.registerWebhook("https://exames.example.com/api/payments/webhook/segredo");
    });

    test("a call whose caller has gone fails with their reason", async () => {
      const reason = new Error("gone");
      const signal = AbortSignal.abort(reason);
      const refund = { endToEndId: `E${"0".repeat(31)}`, id: "devolucao1", amountCents: 1 };
      const ended = await Promise.allSettled([
        pix.createCob(order(), signal),
        pix.readCob(pix.newTxid(), signal),
        pix.refund(refund, signal),
        pix.readRefund(refund, signal),
        pix.registerWebhook("https://exames.example.com", signal),
      ]);
      for (const call of ended) expect(call).toEqual({ status: "rejected", reason });
    });
  });
}
