import { afterAll, beforeAll, expect, test } from "bun:test";
import { type BrowserApp, button, createBrowserApp } from "../support/browser/browser-app.ts";
import { type Psp, startPsp } from "../support/psp/psp.ts";
import { sampleZip } from "../support/zip/sample-zip.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;

let psp: Psp;
let app: BrowserApp;

beforeAll(async () => {
  psp = await startPsp();
  app = await createBrowserApp("pix-at-psp", { env: psp.env });
}, START_TIMEOUT_MS);
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  await psp?.[Symbol.asyncDispose]();
});

test(
  "a trial at its limit is paid at the bank: the dialog notices it, closes, and the upload continues",
  async () => {
    const person = await app.addPerson("Benício Moura", { plan: "avaliacao" });
    await app.testApp.store(person, sampleZip({ study: "11" }, { study: "12" }));
    await app.as(person, {}, async (page) => {
      await button(page, "Enviar exames").first().click();
      await page.getByText("Limite Excedido").waitFor();
      await button(page, "Assinatura").click();
      await button(page, "Assinar Essencial").click();
      await button(page, "Gerar Pix").click();
      const dialog = page.getByRole("dialog", { name: "Pagar com Pix" });
      await dialog.getByRole("img", { name: "QR Code Pix" }).waitFor();
      const [open] = await app.testApp.sql`select txid from payments where user_id = ${person.id}`;
      const txid = String(open?.txid);
      expect(await dialog.getByLabel("Pix copia e cola").inputValue()).toContain(txid);

      psp.pay(txid);
      const webhook = `${app.origin}/api/payments/webhook/${psp.config.webhookSecret}`;
      for (const answer of await psp.notify(txid, { to: webhook })) expect(answer.status).toBe(200);
      await page.getByRole("heading", { name: "Pagamento confirmado" }).waitFor();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("heading", { name: "Plano Essencial" }).waitFor();

      await page.getByRole("navigation").getByRole("button", { name: "Enviar exames" }).click();
      const buffer = Buffer.from(sampleZip({ study: "13" }));
      const file = { name: "exame.zip", mimeType: "application/zip", buffer };
      await page.getByLabel("Arquivo ZIP do exame").setInputFiles(file);
      await button(page, "Enviar exame").click();
      await page.locator("main[data-view=listaExames]").waitFor();
      await page.getByText("3 / 10").waitFor();
    });
  },
  JOB_TIMEOUT_MS,
);

test(
  "a bank that can't be reached leaves a dialog that tries again, and the second try pays the same charge",
  async () => {
    const person = await app.addPerson("Rosângela Prado", { plan: "avaliacao" });
    await app.as(
      person,
      { expected: [/^answer: 503 .*\/payments\/create$/, /status of 503/] },
      async (page) => {
        psp.fail("PUT /cob/{txid}", ...Array.from({ length: 12 }, () => ({ status: 503 })));
        await button(page, "Assinatura").click();
        await button(page, "Assinar Essencial").click();
        await button(page, "Gerar Pix").click();
        await page.getByText("Não foi possível gerar o QR Code. Tente novamente.").waitFor();
        psp.reset();
        await button(page, "Gerar Pix").click();
        await page.getByRole("img", { name: "QR Code Pix" }).waitFor();
      },
    );
    const made = await app.testApp.sql`select txid from payments where user_id = ${person.id}`;
    expect(made).toHaveLength(1);
  },
  JOB_TIMEOUT_MS,
);
