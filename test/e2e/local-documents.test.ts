import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import type { Page, Request } from "playwright-core";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import { violationsOn } from "../support/browser/axe.ts";
import { type BrowserApp, createBrowserApp, DESK, PHONE, tap } from "../support/browser/browser-app.ts";
import { drawn, visorOf } from "../support/browser/visor-page.ts";
import { readTaken } from "../support/dicom/dicom-sample.ts";
import { documentFiles, pdf, pdfOf, report } from "../support/dicom/sample-documents.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 240_000;
/** Until PDF.js reads the fonts of the page that is shown. */
const BUSY_MS = 2_000;
const picture = (name: string) => ({
  path: join(import.meta.dir, "../../test-results", `local-documents-${name}.png`),
});

/** It names a character map and a font that it does not carry. */
const eastAsianPdf = Buffer.from(`%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>> endobj
4 0 obj <</Length 40>> stream
BT /F1 24 Tf 50 700 Td <5c71753092ce> Tj ET
endstream endobj
5 0 obj <</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/UniJIS-UCS2-H/DescendantFonts[6 0 R]>> endobj
6 0 obj <</Type/Font/Subtype/CIDFontType0/BaseFont/HeiseiMin-W3/FontDescriptor 7 0 R/DW 1000
  /CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>> endobj
7 0 obj <</Type/FontDescriptor/FontName/HeiseiMin-W3/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800
  /Descent -200/CapHeight 700/StemV 80>> endobj
trailer <</Root 1 0 R>>
`);

const longRanges = `begincmap 1 begincodespacerange <00000000> <ffffffff> endcodespacerange 20000 begincidrange
${"<00000000> <00fffffe> 0\n".repeat(20_000)}endcidrange endcmap`;

/** Its character map has so many ranges that PDF.js reads it for hours. */
const endlessPdf = Buffer.from(`%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>> endobj
4 0 obj <</Length 40>> stream
BT /F1 24 Tf 50 700 Td <5c71753092ce> Tj ET
endstream endobj
5 0 obj <</Type/Font/Subtype/Type0/BaseFont/Arial/Encoding 8 0 R/DescendantFonts[6 0 R]>> endobj
6 0 obj <</Type/Font/Subtype/CIDFontType2/BaseFont/Arial/FontDescriptor 7 0 R/DW 1000
  /CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>> endobj
7 0 obj <</Type/FontDescriptor/FontName/Arial/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800
  /Descent -200/CapHeight 700/StemV 80>> endobj
8 0 obj <</Type/CMap/CMapName/Long/Length ${longRanges.length}>> stream
${longRanges}
endstream endobj
trailer <</Root 1 0 R>>
`);

let t: BrowserApp;
const folder = mkdtempSync(join(tmpdir(), "local-documents-"));
let files: Record<string, Uint8Array>;

beforeAll(async () => {
  t = await createBrowserApp("local-documents");
  const instances = generateStudy({ kind: "ct-head", seed: "local-documents", size: 64, instances: 3 });
  const images = unzipSync(await zipStudyBytes({ instances }));
  const [image = new Uint8Array()] = Object.values(images);
  const documents = documentFiles(readTaken(image).studyInstanceUID, [
    ...[pdfOf("Densitometria óssea"), report, pdfOf("Japonês", eastAsianPdf)],
    pdfOf("Sem fim", endlessPdf),
  ]);
  files = { ...images, ...documents };
}, TIMEOUT_MS);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await t?.[Symbol.asyncDispose]();
});

const sheet = (page: Page) => page.locator(".visor-sheet");
const item = (page: Page, name: string) => visorOf(page).getByRole("button", { name, exact: true });
const reportPage = (page: Page) => page.frameLocator(".document-report iframe");
/** The product's own files, which carry nothing. */
const isAsset = (request: Request) => request.method() === "GET" && request.url().includes("/assets/");

async function saved(page: Page, name: string): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    sheet(page).getByRole("button", { name }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Waits until a page of the PDF has ink. */
async function seesInk(page: Page): Promise<void> {
  const canvas = sheet(page).locator(".pdf-sheet canvas");
  await canvas.waitFor();
  await until(() => canvas.evaluate(hasInk));
}

/** In the page. */
function hasInk(canvas: Element): boolean {
  if (!(canvas instanceof HTMLCanvasElement)) return false;
  const small = new OffscreenCanvas(200, 280).getContext("2d");
  small?.drawImage(canvas, 0, 0, 200, 280);
  return small?.getImageData(0, 0, 200, 280).data.some((level, at) => at % 4 === 0 && level < 120) ?? false;
}

test(
  "documents in a ZIP of this device are read beside its images, without a request",
  async () => {
    const buffer = Buffer.from(zipSync(files));
    await t.asVisitor({ device: PHONE }, async (page) => {
      const requests: Request[] = [];
      page.on("request", (request) => requests.push(request));
      await page.getByLabel("ZIP ou imagens do exame").setInputFiles({
        ...{ name: "exame.zip", mimeType: "application/zip" },
        buffer,
      });
      await drawn(page);
      await tap(page, item(page, "Documento PDF: Densitometria óssea"));
      await seesInk(page);
      expect(await violationsOn(page)).toEqual([]);
      await page.screenshot(picture("phone-pdf"));
      await page.goBack();
      await sheet(page).waitFor({ state: "detached" });
      await tap(page, item(page, "Relatório estruturado: Medidas do crânio"));
      await reportPage(page).getByText("60,5 mm").waitFor();
      await reportPage(page).getByText("Paciente", { exact: true }).waitFor();
      expect(await violationsOn(page)).toEqual([]);
      await page.screenshot(picture("phone-report"));
      expect(await page.evaluate("window.ran")).toBeUndefined();
      expect(requests.filter((one) => !isAsset(one) && !one.url().startsWith("blob:"))).toEqual([]);
    });
  },
  TIMEOUT_MS,
);

test(
  "the page of a medium shows its documents from the disc without a network, and saves them",
  async () => {
    const owner = await t.addPerson("Dona Mídia", { plan: "familia" });
    const { studies } = await t.testApp.store(owner, zipSync(files));
    const disc = join(folder, "disc");
    const answer = await fetch(new URL(`/api/studies/${studies[0]?.id}/download?as=pdi`, t.origin), {
      headers: { Authorization: `Bearer ${owner.token}`, "Accept-Language": "pt-BR" },
    });
    for (const [name, bytes] of Object.entries(unzipSync(new Uint8Array(await answer.arrayBuffer())))) {
      mkdirSync(dirname(join(disc, name)), { recursive: true });
      writeFileSync(join(disc, name), bytes);
    }
    for (const [language, device, name] of [
      ["pt-BR", DESK, "desk"],
      ["en-US", PHONE, "phone"],
    ] as const) {
      await t.asVisitor({ language, device }, async (visited) => {
        const texts = TEXTS[language];
        const page = await visited.context().newPage();
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        await page.context().setOffline(true);
        await page.goto(`file://${join(disc, "INDEX.HTM")}`);
        await page.getByLabel(texts.folder).setInputFiles(disc);
        await drawn(page);
        await item(page, `${texts.pdf}: Densitometria óssea`).click();
        await seesInk(page);
        await page.screenshot(picture(`disc-${name}-pdf`));
        const file = await saved(page, texts.download);
        expect(file.name).toStartWith("Densitometria_óssea_");
        expect(file.name).toEndWith(".pdf");
        expect(file.bytes.equals(pdf)).toBe(true);

        await closed(page, () => page.keyboard.press("Escape"));
        await item(page, `${texts.report}: Medidas do crânio`).click();
        await reportPage(page).getByText("60,5 mm").waitFor();
        await reportPage(page).getByText(texts.patient, { exact: true }).waitFor();
        await reportPage(page).getByRole("link").first().click();
        const desk = page.locator(".document-report");
        await until(async () => (await desk.evaluate((element) => element.scrollTop)) > 100);
        await page.screenshot(picture(`disc-${name}-report`));
        expect(await page.evaluate("window.ran")).toBeUndefined();
        const html = await saved(page, texts.download);
        expect(html.name).toStartWith("Medidas_do_crânio_");
        expect(html.name).toEndWith(".html");
        expect(html.bytes.toString()).toContain("default-src 'none'");
        // The keys are heard in the page of the report, too.
        await reportPage(page).locator("h1").click();
        await closed(page, () => page.keyboard.press("l"));
        await page.keyboard.press("l");
        await reportPage(page).getByText("60,5 mm").waitFor();

        // It is told instead of drawn without its text.
        await closed(page, () => page.keyboard.press("Escape"));
        await item(page, `${texts.pdf}: Japonês`).click();
        await sheet(page).getByRole("alert").getByText(texts.partial).waitFor();
        await page.screenshot(picture(`disc-${name}-partial`));
        await closed(page, () => page.keyboard.press("Escape"));
        await item(page, `${texts.pdf}: Densitometria óssea`).click();
        await seesInk(page);

        // What one PDF takes is not missing to the next.
        await closed(page, () => page.keyboard.press("Escape"));
        await item(page, `${texts.pdf}: Sem fim`).click();
        await sheet(page).locator(".pdf-sheet").waitFor();
        await page.waitForTimeout(BUSY_MS);
        await closed(page, () => page.keyboard.press("Escape"));
        await item(page, `${texts.pdf}: Densitometria óssea`).click();
        await seesInk(page);
        expect(asked.filter((url) => !/^(file|blob|data|about):/.test(url))).toEqual([]);
      });
    }
  },
  TIMEOUT_MS,
);

const TEXTS = {
  "pt-BR": {
    ...{ folder: "Pasta deste disco", pdf: "Documento PDF", report: "Relatório estruturado" },
    ...{ download: "Baixar o documento", patient: "Paciente" },
    partial: /^O texto usa fontes que faltam nesta página/,
  },
  "en-US": {
    ...{ folder: "Folder of this disc", pdf: "PDF document", report: "Structured report" },
    ...{ download: "Download the document", patient: "Patient" },
    partial: /^Its text needs fonts that this page lacks/,
  },
};

async function closed(page: Page, close: () => Promise<void>): Promise<void> {
  await close();
  await sheet(page).waitFor({ state: "detached" });
}
