import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { zipSync } from "fflate";
import type { Page } from "playwright-core";
import { type BrowserApp, createBrowserApp, PHONE } from "../support/browser/browser-app.ts";
import { readDrawnQr } from "../support/pdf/read-pdf.ts";
import { sampleInstance } from "../support/zip/sample-zip.ts";

let t: BrowserApp;

beforeAll(async () => {
  t = await createBrowserApp("receipts");
});
afterAll(() => t[Symbol.asyncDispose]());

const exam = Object.fromEntries(
  [1, 2, 3].map((number) => [`IM${number}`, sampleInstance({ sop: `${number}`, instanceNumber: number })]),
);
const zipOf = (files: Record<string, Uint8Array>) => ({
  name: "copia.zip",
  mimeType: "application/zip",
  buffer: Buffer.from(zipSync(files)),
});

test("a person downloads a receipt, and anybody finds the one changed byte with it, without sending anything", async () => {
  const owner = await t.addPerson("Dona Recibo");
  await t.testApp.store(owner, zipSync(exam));
  let pdf = Buffer.alloc(0);
  await t.as(owner, {}, async (page) => {
    await page
      .getByRole("button", { name: /Meus exames/ })
      .first()
      .click();
    await page.getByRole("row").getByRole("button", { expanded: false }).first().click();
    await page.getByRole("button", { name: "Histórico" }).click();
    const dialog = page.getByRole("dialog", { name: "Histórico do exame" });
    await dialog.getByText("3 imagens").waitFor();
    await dialog.getByText("Impressão digital do exame").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Baixar recibo" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^Recibo.*\.pdf$/);
    pdf = readFileSync(await download.path());
  });

  await t.asVisitor({ device: PHONE }, async (page) => {
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET" || /jws|root|2\.25/.test(request.url())) sent.push(request.url());
    });
    await page.goto(`${t.origin}/verificar`);
    await page.getByLabel("Recibo", { exact: true }).setInputFiles({
      ...{ name: "recibo.pdf", mimeType: "application/pdf", buffer: pdf },
    });
    await page.getByText("Este servidor assinou este recibo").waitFor();
    await check(page, zipOf(exam));
    await page.getByText("3 imagens, exatamente como foram recebidas").waitFor();
    const changed = Buffer.from(exam.IM2 ?? []);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    await check(page, zipOf({ ...exam, IM2: changed }));
    await page.getByText("1 de 3 imagens não conferem com o que foi recebido.").waitFor();
    expect(await page.getByRole("listitem").allInnerTexts()).toEqual([expect.stringContaining("IM2")]);
    expect(sent).toEqual([]);
    await isWithinScreen(page);
  });

  await t.asVisitor({ language: "en-US" }, async (page) => {
    await page.goto(readDrawnQr(pdf).replace(/^[^#]+/, `${t.origin}/verificar`));
    await page.getByText("This server signed this receipt").waitFor();
    expect(page.url()).toBe(`${t.origin}/verificar`);
    await check(page, zipOf(exam), "ZIP file of the exam");
    await page.getByText("3 images, exactly as they were received").waitFor();
  });
});

async function check(
  page: Page,
  file: ReturnType<typeof zipOf>,
  label = "Arquivo ZIP do exame",
): Promise<void> {
  await page.getByLabel(label).setInputFiles(file);
}

async function isWithinScreen(page: Page): Promise<void> {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}
