import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Payment } from "../../../src/shared/api/payments.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { type Psp, startPsp } from "../../support/psp/psp.ts";

describe("the app at a PSP", () => {
  let psp: Psp;
  let app: TestApp;
  let person: Person;
  beforeAll(async () => {
    psp = await startPsp();
    app = await createTestApp({ env: psp.env });
    psp.deliver = (url, body) =>
      app.call("POST", new URL(url).pathname, { body, headers: { "content-type": "application/json" } });
    person = await app.addPerson("Maria", { plan: "avaliacao" });
    await app.settle();
  }, 240_000);
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await psp[Symbol.asyncDispose]();
  });

  async function open(): Promise<{ payment: Payment; txid: string }> {
    const [plan] = await app.sql`select id from plans where slug = 'essencial'`;
    const created = await app.call("POST", "/api/payments/create", {
      as: person,
      json: { planId: plan?.id },
    });
    expect(created.status).toBe(201);
    const payment = (await created.json()) as Payment;
    const [row] = await app.sql`select txid from payments where id = ${payment.id}`;
    return { payment, txid: String(row?.txid) };
  }

  /** Read from the database, since a request to the app would make it ask the PSP. */
  async function statusOf({ id }: Payment): Promise<unknown> {
    return (await app.sql`select status from payments where id = ${id}`)[0]?.status;
  }

  test("registers its webhook, and believes the PSP's records, not what the webhook receives", async () => {
    expect(psp.bank.webhookUrl).toEndWith(`/api/payments/webhook/${psp.config.webhookSecret}`);
    // Efí and others try the address before they take it, with a body of their own.
    const tried = new URL(psp.bank.webhookUrl ?? "").pathname;
    expect((await app.call("POST", tried, { body: "teste" })).status).toBe(200);
    expect((await app.call("POST", `${tried}x`, { body: "teste" })).status).toBe(404);
    const { payment, txid } = await open();
    expect(payment.pixCopyPaste).toContain(txid);
    expect((await psp.forge(txid, { amountCents: payment.amount })).status).toBe(200);
    await app.settle();
    expect(await statusOf(payment)).toBe("pending");
    psp.pay(txid);
    app.advance(15_000);
    for (const answer of await psp.notify(txid, { times: 2 })) expect(answer.status).toBe(200);
    await app.settle();
    expect(await statusOf(payment)).toBe("paid");
  }, 240_000);
});
