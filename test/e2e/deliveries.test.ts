import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import { violationsOn } from "../support/axe.ts";
import { type BrowserApp, button, createBrowserApp, examsEntry, PHONE, tap } from "../support/browser-app.ts";
import type { Person } from "../support/test-app.ts";

const START_TIMEOUT_MS = 120_000;
const JOB_TIMEOUT_MS = 180_000;

describe("a request for exams", () => {
  let app: BrowserApp;
  let owner: Person;
  let zip: Uint8Array;
  beforeAll(async () => {
    app = await createBrowserApp("deliveries");
    owner = await app.addPerson("Marina Gonçalves");
    const instances = generateStudy({ kind: "ct-head", seed: 1, size: 64, instances: 3 });
    zip = await zipStudyBytes({ instances, folder: "DICOM" });
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  test(
    "is shown as a QR code, brings an exam from a clinic's phone without an account, and is refused without an action",
    async () => {
      await app.as(owner, {}, async (page) => {
        await button(page, "Receber de uma clínica").first().click();
        await button(page, "Novo pedido").click();
        await page.getByLabel("Quem vai entregar").fill("Hospital Santa Clara");
        await button(page, "Criar pedido").click();
        const ready = page.getByRole("dialog", { name: "Mostre no balcão" });
        await ready.getByRole("img", { name: "QR Code do pedido" }).waitFor();
        expect(await violationsOn(page)).toEqual([]);
        const address = (await ready.locator(".copy-box .mono").first().textContent()) ?? "";

        await app.asVisitor({ device: PHONE, expected: [/404 /] }, async (phone) => {
          await phone.goto(address);
          await phone.getByRole("heading", { name: "Entregar exames a Marina Gonçalves" }).waitFor();
          expect(await violationsOn(phone)).toEqual([]);
          await tap(phone, button(phone, "Continuar"));
          const input = phone.getByLabel("Arquivo ZIP do exame");
          const file = { name: "exame.zip", mimeType: "application/zip", buffer: Buffer.from(zip) };
          await input.setInputFiles(file);
          // The phantom's patient is somebody else.
          await phone.getByText("O nome nas imagens é outro.").waitFor();
          await tap(phone, button(phone, "Escolher outro"));
          await input.setInputFiles(file);
          await tap(phone, button(phone, "Entregar mesmo assim"));
          await phone.getByRole("heading", { name: "Protocolo de entrega" }).waitFor();
          const overflow = await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          expect(overflow).toBeLessThanOrEqual(0);
          expect(await violationsOn(phone)).toEqual([]);
          const saving = phone.waitForEvent("download");
          await tap(phone, button(phone, "Baixar PDF"));
          expect((await saving).suggestedFilename()).toBe("protocolo-de-entrega.pdf");
          // The receipt is there after a reload, and nobody else can deliver by this request.
          await phone.reload();
          await phone.getByRole("heading", { name: "Protocolo de entrega" }).waitFor();
          await phone.evaluate(() => localStorage.clear());
          await phone.reload();
          await phone.getByRole("heading", { name: "Este pedido não abre" }).waitFor();
        });

        await ready.getByText("O exame chegou.").waitFor();
        await button(ready, "Pronto").click();
        await page.getByText(/Entregue por Hospital Santa Clara/).waitFor();
        await examsEntry(page).click();
        await page.getByText("Recebido de Hospital Santa Clara").waitFor();
        await button(page, "Receber de uma clínica").first().click();
        await button(page, "Recusar e excluir").click();
        await page.getByText("Entrega recusada e excluída").first().waitFor();
        const [deleted] = await app.testApp.sql`select count(*)::int as n from usage_events
          where user_id = ${owner.id} and action_type = 'delete'`;
        expect(deleted?.n).toBe(0);
        expect(await app.testApp.sql`select 1 from studies`).toHaveLength(0);
      });
    },
    JOB_TIMEOUT_MS,
  );
});
