import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { writeReportPdf } from "../../scripts/demo/pdf.ts";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import { launchBrowser } from "../support/browser.ts";
import { createTestApp, type Person, type TestApp } from "../support/test-app.ts";
import { visit, watchForTrouble } from "../support/watched-page.ts";
import { hostilePdf, longPdf } from "../support/written-pdf.ts";

const RESULTS = join(import.meta.dir, "../../test-results");
const START_TIMEOUT_MS = 120_000;
const JOB_TIMEOUT_MS = 60_000;

const report = writeReportPdf({
  patient: { name: "João Batista", birthDate: "22/03/1968" },
  title: "Tomografia computadorizada do crânio",
  paragraphs: ["Análise:", "Parênquima encefálico com coeficientes de atenuação preservados."],
  signature: "Dra. Lívia Monteiro Sá",
});

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });

describe("a report", () => {
  let testApp: TestApp;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    testApp = await createTestApp();
    origin = await testApp.listen();
    browser = await launchBrowser();
    mkdirSync(RESULTS, { recursive: true });
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await testApp?.[Symbol.asyncDispose]();
  });

  async function ownerOfAStudy(name: string): Promise<Person> {
    const person = await testApp.addPerson(name);
    await testApp.call("POST", "/api/users/accept-terms", { as: person });
    const instances = generateStudy({ kind: "ct-head", seed: 1, size: 64, instances: 4 });
    await testApp.store(person, await zipStudyBytes({ instances, folder: "DICOM" }));
    return person;
  }

  /** As this person in the exam list. */
  async function inList(person: Person, job: (page: Page, context: BrowserContext) => Promise<void>) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "pt-BR" });
    context.setDefaultTimeout(15_000);
    await context.addInitScript((token) => localStorage.setItem("token", token), person.token);
    const page = await context.newPage();
    try {
      await visit(page, `${origin}/his`);
      await page.getByRole("main").getByRole("button", { name: "Ver meus exames" }).click();
      await page.locator("main[data-view=listaExames]").waitFor();
      await job(page, context);
    } catch (error) {
      await page.screenshot({ path: join(RESULTS, "reports-failed.png") });
      throw error;
    } finally {
      await context.close();
    }
  }

  async function attach(page: Page, pdf: Uint8Array): Promise<void> {
    await button(page, /^Anexar laudo: /).click();
    const file = { name: "laudo.pdf", mimeType: "application/pdf", buffer: Buffer.from(pdf) };
    await page.getByRole("dialog").locator("input[type=file]").setInputFiles(file);
    await button(page, "Anexar laudo").click();
    await page.getByText("Laudo anexado").first().waitFor();
  }

  async function open(page: Page): Promise<void> {
    await button(page, /^Ver laudo: /).click();
    await page.getByRole("dialog").getByRole("button", { name: "Ver laudo" }).click();
    await page.locator("main[data-view=laudo] .pdf-sheet canvas").first().waitFor();
  }

  /** Share of the first page's pixels that are dark. */
  async function inkOf(page: Page): Promise<number> {
    const canvas = page.locator(".pdf-sheet canvas").first();
    await page.waitForFunction(() => {
      const drawn = document.querySelector<HTMLCanvasElement>(".pdf-sheet canvas");
      return drawn && drawn.width > 0 && drawn.style.visibility !== "hidden";
    });
    return canvas.evaluate((element: HTMLCanvasElement) => {
      const pixels = element.getContext("2d")?.getImageData(0, 0, element.width, element.height).data ?? [];
      let dark = 0;
      for (let at = 0; at < pixels.length; at += 4) if ((pixels[at] ?? 255) < 128) dark++;
      return dark / (pixels.length / 4);
    });
  }

  test(
    "is attached, read, searched, saved and deleted",
    async () => {
      await inList(await ownerOfAStudy("Helena Duarte"), async (page, context) => {
        const trouble = watchForTrouble(context);
        await attach(page, report);
        await open(page);
        expect(await inkOf(page)).toBeGreaterThan(0.005);
        await page.getByText("Página 1 de 1").waitFor();
        await page.locator(".textLayer", { hasText: "João Batista" }).waitFor();
        await page.screenshot({ path: join(RESULTS, "report.png") });

        const width = () =>
          page
            .locator(".pdf-sheet")
            .first()
            .evaluate((sheet) => sheet.clientWidth);
        await button(page, "Página inteira").click();
        const whole = await width();
        await button(page, "Aumentar").click();
        await page.waitForFunction(
          (before) => (document.querySelector(".pdf-sheet")?.clientWidth ?? 0) > before,
          whole,
        );
        expect(await inkOf(page)).toBeGreaterThan(0.005);

        await page.getByLabel("Buscar no documento").fill("ENCEFALICO");
        await page.keyboard.press("Enter");
        await page.getByText("Página 1", { exact: true }).waitFor();

        await page.evaluate(() => {
          window.print = () => {
            document.title = `${document.querySelectorAll(".print-sheets img").length} printed`;
          };
        });
        await button(page, "Imprimir").click();
        await page.waitForFunction(() => document.title === "1 printed");
        expect(await page.locator(".print-sheets").count()).toBe(0);

        const saving = page.waitForEvent("download");
        await button(page, "Baixar").click();
        const saved = await saving;
        expect(saved.suggestedFilename()).toMatch(/^Laudo_.*\.pdf$/);
        expect(await Bun.file(await saved.path()).bytes()).toEqual(Uint8Array.from(report));

        await button(page, "Excluir laudo").click();
        await page
          .getByText("Tem certeza que deseja excluir este Laudo? Esta ação não pode ser desfeita.")
          .waitFor();
        await button(page, "Sim, excluir").click();
        await page.getByText("O laudo foi excluído com sucesso").first().waitFor();
        await button(page, /^Anexar laudo: /).waitFor();
        expect(trouble).toEqual([]);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "that wants to run scripts, start programs and lead elsewhere does nothing of it",
    async () => {
      await inList(await ownerOfAStudy("Taro Yamada"), async (page, context) => {
        const trouble = watchForTrouble(context);
        const wishes: string[] = [];
        context.on("request", (request) => {
          const isOurs = request.url().startsWith(`${origin}/`) || /^(blob|data):/.test(request.url());
          if (!isOurs || request.url().includes("/evil")) wishes.push(request.url());
        });
        page.on("dialog", (dialog) => {
          wishes.push(`dialog: ${dialog.message()}`);
          void dialog.dismiss();
        });
        context.on("page", (opened) => wishes.push(`page: ${opened.url()}`));
        await attach(page, hostilePdf(`${origin}/evil`));
        await open(page);
        expect(await inkOf(page)).toBeGreaterThan(0.001);
        await page.locator(".pdf-sheet").first().click();
        await page.locator(".pdf-sheet").first().hover();
        await page.waitForTimeout(500);
        expect(await page.locator(".pdf-sheet").locator("a, button, input, iframe, script").count()).toBe(0);
        expect(page.url()).toBe(`${origin}/his`);
        expect(wishes).toEqual([]);
        expect(trouble).toEqual([]);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "of 10,000 pages opens, and draws only those that are seen",
    async () => {
      await inList(await ownerOfAStudy("Ana Prado"), async (page) => {
        await attach(page, longPdf(10_000));
        await open(page);
        await page.getByText("Página 1 de 10000").waitFor();
        expect(await page.locator(".pdf-sheet").count()).toBeLessThan(8);
        await page.getByLabel("Páginas", { exact: true }).focus();
        await page.keyboard.press("End");
        await page.getByText("Página 10000 de 10000").waitFor();
        expect(await inkOf(page)).toBeGreaterThan(0.001);
        expect(await page.locator(".pdf-sheet").count()).toBeLessThan(8);
      });
    },
    JOB_TIMEOUT_MS,
  );
});
