import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createBacenPix } from "../../../src/server/pix/bacen/bacen-pix.ts";
import { openPixAtPsp, type PixAtPsp } from "../../support/psp/pix-at-psp.ts";
import { startPsp } from "../../support/psp/psp.ts";

/** Tests of the tests' own PSP, since the others rely on it. */
describe("the PSP of the tests", () => {
  let at: PixAtPsp;
  beforeEach(async () => {
    at = await openPixAtPsp();
  });
  afterEach(() => at[Symbol.asyncDispose]());

  const client = async () => ({
    cert: await Bun.file(at.psp.config.certFile).text(),
    key: await Bun.file(at.psp.config.certKeyFile).text(),
    ca: at.psp.authority.cert,
  });

  test("refuses a call without a token, or with one that is forged or expired", async () => {
    const url = `${at.psp.config.apiUrl}/cob/${at.pix.newTxid()}`;
    const tls = await client();
    expect((await fetch(url, { tls })).status).toBe(401);
    expect((await fetch(url, { tls, headers: { authorization: "Bearer x" } })).status).toBe(401);
    await at.pix.readCob(at.pix.newTxid());
    const authorization = /"authorization":"(Bearer [^"]+)"/.exec(at.psp.received.at(-1) ?? "")?.[1] ?? "";
    expect((await fetch(url, { tls, headers: { authorization } })).status).toBe(404);
    at.advance(3600_000);
    expect((await fetch(url, { tls, headers: { authorization } })).status).toBe(401);
  });

  test("grants only the requested scopes", async () => {
    const { tokenUrl, clientId, clientSecret, apiUrl } = at.psp.config;
    const tls = await client();
    const headers = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
    const body = new URLSearchParams({ grant_type: "client_credentials", scope: "cob.write" });
    const granted = await fetch(tokenUrl, { method: "POST", tls, headers, body });
    const { access_token } = (await granted.json()) as { access_token: string };
    const authorization = `Bearer ${access_token}`;
    const read = await fetch(`${apiUrl}/cob/${at.pix.newTxid()}`, { tls, headers: { authorization } });
    expect(read.status).toBe(403);
  });

  test("reports a payment to the registered webhook: once, twice or never; and a forged one", async () => {
    const reports: { path: string; body: unknown }[] = [];
    await using app = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        reports.push({ path: new URL(request.url).pathname, body: await request.json() });
        return new Response();
      },
    });
    await at.pix.registerWebhook(`${app.url.origin}/webhook/segredo`);
    const order = at.order();
    await at.pix.createCob(order);
    const [paid] = at.psp.pay(order.txid);
    expect(reports).toEqual([]);
    expect((await at.psp.notify(order.txid, { times: 2 })).map(({ status }) => status)).toEqual([200, 200]);
    expect(reports).toHaveLength(2);
    for (const report of reports) {
      expect(report.path).toBe("/webhook/segredo/pix");
      expect(report.body).toMatchObject({
        pix: [{ endToEndId: paid?.endToEndId, txid: order.txid, valor: "19.90" }],
      });
    }
    const open = at.order();
    await at.pix.createCob(open);
    await at.psp.forge(open.txid);
    expect(reports.at(-1)?.body).toMatchObject({ pix: [{ txid: open.txid, valor: "1.00" }] });
    expect((await at.pix.readCob(open.txid))?.pix).toEqual([]);
  });

  test("provides the environment that the app needs", async () => {
    await using psp = await startPsp();
    expect(Object.keys(psp.env).every((name) => name.startsWith("PIX_"))).toBe(true);
    const pix = await createBacenPix(psp.config, psp.clock);
    expect(await pix.readCob(pix.newTxid())).toBeUndefined();
    pix.close();
  });

  test.skipIf(!process.env.PIX_OPENAPI)(
    "notices what the Central Bank's OpenAPI file doesn't allow",
    async () => {
      const psp = await startPsp();
      const pix = await createBacenPix(psp.config, psp.clock);
      const order = at.order();
      await pix.createCob({ ...order, description: "x".repeat(141) }).catch(() => {});
      expect(psp.breaches).toEqual([
        "PUT /cob/{txid}/solicitacaoPagador: must NOT have more than 140 characters",
      ]);
      await pix.createCob(order);
      const cob = psp.bank.cobs.get(order.txid);
      Object.assign(cob ?? {}, { status: "PAGA" });
      await pix.readCob(order.txid);
      expect(psp.breaches.slice(1).join()).toContain("status: must be equal to one of the allowed values");
      await expect(psp[Symbol.asyncDispose]()).rejects.toThrow("not API Pix");
      pix.close();
    },
  );
});
