import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import type { CreatedLink } from "../../src/shared/api/links.ts";
import type { Person } from "../support/app/test-app.ts";
import { violationsOn } from "../support/browser/axe.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  examsEntry,
  PHONE,
  tabTo,
  tap,
} from "../support/browser/browser-app.ts";
import { drawn, visorOf } from "../support/browser/visor-page.ts";
import { cda, cdaOf, pdf, pdfOf, report, zipDocuments } from "../support/dicom/sample-documents.ts";
import { until } from "../support/until.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
const picture = (name: string) => ({
  path: join(import.meta.dir, "../../test-results", `documents-${name}.png`),
});

let app: BrowserApp;
let person: Person;
let studyId: string;

beforeAll(async () => {
  app = await createBrowserApp("documents");
  person = await app.addPerson("Inês Assunção", { plan: "familia" });
  const head = generateStudy({ kind: "ct-head", seed: "documents", size: 64, instances: 3 });
  const { studies } = await app.testApp.store(person, await zipStudyBytes({ instances: head }));
  const uid = studies[0]?.studyInstanceUID ?? "";
  studyId = studies[0]?.id ?? "";
  await app.testApp.store(person, zipDocuments(uid, [pdfOf("Densitometria óssea"), report]));
}, START_TIMEOUT_MS);
afterAll(() => app?.[Symbol.asyncDispose]());

const sheet = (page: Page) => page.locator(".visor-sheet");
const item = (page: Page, name: string) => visorOf(page).getByRole("button", { name, exact: true });
const SAVE = "Baixar o documento";
const PDF_ITEM = "Documento PDF: Densitometria óssea";
const REPORT_ITEM = "Relatório estruturado: Medidas do crânio";

async function saved(page: Page): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent("download"), button(sheet(page), SAVE).click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

describe("documents among the images", () => {
  test(
    "open from the open row in our own viewer: the PDF's pages, the report's page, by keys and back to what opened them",
    async () => {
      await app.as(person, {}, async (page) => {
        await examsEntry(page).click();
        await page.locator("tr.study-row .expand-toggle, tr.study-row button[aria-expanded]").first().click();
        await page.locator(".series-card").filter({ hasText: "Documentos" }).click();
        await sheet(page).getByRole("heading", { name: "Densitometria óssea" }).waitFor();
        await sheet(page).locator(".pdf-sheet canvas").waitFor();
        await drawn(page);
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot(picture("desk-pdf"));
        const file = await saved(page);
        expect(file.name).toStartWith("Densitometria_óssea_");
        expect(file.name).toEndWith(".pdf");
        expect(file.bytes.equals(pdf)).toBe(true);

        // The first press closes what is open, and the focus is back in the viewer: at what was opened last.
        await item(page, REPORT_ITEM).click();
        await page.frameLocator(".document-report iframe").getByText("60,5 mm").waitFor();
        await page.keyboard.press("Escape");
        await sheet(page).waitFor({ state: "detached" });
        await until(() => item(page, REPORT_ITEM).evaluate((one) => one === document.activeElement));
        await tabTo(page, item(page, REPORT_ITEM));
        for (const close of ["l", "Escape"]) {
          await page.keyboard.press("Enter");
          const frame = page.frameLocator(".document-report iframe");
          await frame.getByText("60,5 mm").waitFor();
          await page.locator(".visor-sheet :focus").waitFor();
          // The keys are heard in the page of the report, too.
          await frame.locator("h1").click();
          await page.keyboard.press(close);
          await sheet(page).waitFor({ state: "detached" });
          await page.locator(":focus.visor-document").waitFor();
        }
        await page.keyboard.press("Enter");
        const desk = page.locator(".document-report");
        await page.frameLocator(".document-report iframe").getByText("60,5 mm").waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot(picture("desk-report"));
        expect(await page.evaluate("window.ran")).toBeUndefined();
        const html = await saved(page);
        expect(html.name).toMatch(/^Medidas_do_crânio_.*\.html$/);
        expect(html.bytes.toString()).toContain("default-src 'none'");
        // A link leads to what it names, and the page stays.
        const links = page.frameLocator(".document-report iframe").getByRole("link");
        await links.first().click({ button: "middle" });
        expect(page.context().pages()).toHaveLength(1);
        await links.first().click();
        await until(async () => (await desk.evaluate((element) => element.scrollTop)) > 100);
        await tabTo(page, desk);
        await page.keyboard.press("Home");
        await until(async () => (await desk.evaluate((element) => element.scrollTop)) === 0);
        // Each link has its turn with the Tab key, and then the sheet's buttons.
        for (const place of [0, 1]) {
          await page.keyboard.press("Tab");
          expect(await links.nth(place).evaluate((link) => link.ownerDocument.activeElement === link)).toBe(
            true,
          );
        }
        await page.keyboard.press("Tab");
        await sheet(page).locator("button:focus").waitFor();
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
        await visorOf(page).waitFor({ state: "detached" });
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "that are clinical documents in XML are saved as they came, and not shown",
    async () => {
      const study = generateStudy({ kind: "ct-head", seed: "clinical", size: 64, instances: 1 });
      const other = await app.addPerson("Rui Sá", { plan: "familia" });
      const { studies } = await app.testApp.store(other, await zipStudyBytes({ instances: study }));
      await app.testApp.store(
        other,
        zipDocuments(studies[0]?.studyInstanceUID ?? "", [cdaOf("Sumário de alta")]),
      );
      await app.as(other, {}, async (page) => {
        await examsEntry(page).click();
        await page.locator("tr.study-row .expand-toggle, tr.study-row button[aria-expanded]").first().click();
        await page.locator(".series-card").filter({ hasText: "Documentos" }).click();
        await sheet(page).getByText("arquivo para outros programas").waitFor();
        await drawn(page);
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot(picture("desk-cda"));
        await page.setViewportSize({ width: 360, height: 740 });
        await page.screenshot(picture("narrow-cda"));
        const file = await saved(page);
        expect(file.name).toMatch(/^Sumário_de_alta_.*\.xml$/);
        expect(file.bytes.equals(cda)).toBe(true);
        expect(await page.evaluate("window.ran")).toBeUndefined();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "open on the phone of a link's visitor who may not see the laudo, since they came with the images",
    async () => {
      const json = { studyIds: [studyId], passcode: false, laudo: false };
      const made = await app.testApp.call("POST", "/api/links", { as: person, json });
      const { pathname, hash } = new URL(((await made.json()) as CreatedLink).url);
      await app.asVisitor({ device: PHONE }, async (phone) => {
        await phone.goto(app.origin + pathname + hash);
        await tap(phone, button(phone, "Ver imagens"));
        await drawn(phone);
        await tap(phone, item(phone, PDF_ITEM));
        await sheet(phone).locator(".pdf-sheet canvas").waitFor();
        expect(await button(sheet(phone), SAVE).count()).toBe(0);
        expect(await violationsOn(phone)).toEqual([]);
        await phone.screenshot(picture("phone-pdf"));
        await phone.goBack();
        await sheet(phone).waitFor({ state: "detached" });
        await phone.screenshot(picture("phone-strip"));
        // WebKit calls no listener in a frame without scripts.
        await phone.evaluate(() =>
          document.addEventListener(
            "load",
            ({ target }) => {
              const page = target instanceof HTMLIFrameElement && target.contentDocument;
              if (page) page.addEventListener = () => undefined;
            },
            { capture: true },
          ),
        );
        await tap(phone, item(phone, REPORT_ITEM));
        await phone.frameLocator(".document-report iframe").getByText("60,5 mm").waitFor();
        await phone.screenshot(picture("phone-report"));
        await phone.frameLocator(".document-report iframe").getByText("Item 1.20").click();
        await phone.frameLocator(".document-report iframe").getByText("60,5 mm").waitFor();
        await button(sheet(phone), "Tela inteira").click();
        await phone.screenshot(picture("phone-report-full"));
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "are saved by the visitor of a link that lets its exams be downloaded",
    async () => {
      const json = { studyIds: [studyId], passcode: false, laudo: false, download: true };
      const made = await app.testApp.call("POST", "/api/links", { as: person, json });
      const { pathname, hash } = new URL(((await made.json()) as CreatedLink).url);
      await app.asVisitor({ theme: "light" }, async (page) => {
        await page.goto(app.origin + pathname + hash);
        await button(page, "Ver imagens").click();
        await item(page, PDF_ITEM).click();
        await sheet(page).locator(".pdf-sheet canvas").waitFor();
        expect((await saved(page)).bytes.equals(pdf)).toBe(true);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "are what a study without images opens on, and nothing in them runs",
    async () => {
      const alone = await app.addPerson("Só Documentos", { plan: "familia" });
      const documents = [
        pdfOf(""),
        report,
        pdfOf("Parecer ".repeat(120)),
        pdfOf("Cortado", pdf.slice(0, 200)),
      ];
      await app.testApp.store(alone, zipDocuments("2.25.4242", documents));
      const hostile = `<!doctype html><html><head><meta http-equiv="refresh" content="0; url=/his"></head><body>
        <h1>Hostil</h1><script>top.ran = 1</script><img src="/favicon.svg" onerror="top.ran = 1" onload="top.ran = 1">
        <a href="javascript:top.ran=1">run</a><form action="/api/health"><button>send</button></form></body></html>`;
      // What the browser says of all that it did not do.
      const expected = [/request: csp|Blocked|Refused|violates|Content Security Policy|sandboxed/];
      await app.as(alone, { device: PHONE, expected }, async (page) => {
        await tap(page, examsEntry(page));
        await tap(page, page.locator("[data-opens]:visible").first());
        await sheet(page).getByRole("heading", { name: "Documentos" }).waitFor();
        await sheet(page).locator(".pdf-sheet canvas").waitFor();
        await page.screenshot(picture("phone-alone"));
        await page.keyboard.press("l");
        await sheet(page).waitFor({ state: "detached" });
        // However long a title is, it leaves room for its document; and a reload stays at it.
        await tap(page, visorOf(page).getByRole("button", { name: "Parecer Parecer" }));
        await sheet(page).locator(".pdf-sheet canvas").waitFor();
        await page.reload();
        await sheet(page).getByRole("heading", { name: "Parecer Parecer" }).waitFor();
        await sheet(page).locator(".pdf-sheet canvas").waitFor();
        expect((await sheet(page).locator(".visor-sheet-head").boundingBox())?.height).toBeLessThan(120);
        await page.goBack();
        await sheet(page).waitFor({ state: "detached" });
        await tap(page, item(page, "Documento PDF: Cortado"));
        await sheet(page)
          .getByText("O arquivo parece danificado. Baixe para abrir em outro programa.")
          .waitFor();
        await page.goBack();
        await sheet(page).waitFor({ state: "detached" });
        const asked: string[] = [];
        page.on("requestfinished", (request) => asked.push(request.url()));
        await page.route("**/rendered", (route) =>
          route.fulfill({ contentType: "text/html; charset=utf-8", body: hostile }),
        );
        const refused = page.waitForEvent("requestfailed", (request) =>
          request.url().endsWith("/favicon.svg"),
        );
        await tap(page, item(page, REPORT_ITEM));
        const frame = page.frameLocator(".document-report iframe");
        await refused;
        await frame.getByRole("link").click();
        await frame.getByRole("button").click();
        expect(await page.evaluate("window.ran")).toBeUndefined();
        await frame.getByRole("heading", { name: "Hostil" }).waitFor();
        expect(asked.filter((url) => /favicon|health|\/his/.test(url))).toEqual([]);
      });
    },
    JOB_TIMEOUT_MS,
  );
});
