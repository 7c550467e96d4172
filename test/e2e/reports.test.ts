import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { writeReportPdf } from "../../scripts/demo/pdf.ts";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import type { Person } from "../support/app/test-app.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  dropFile,
  examsEntry,
  PHONE,
  type Seat,
  tabTo,
} from "../support/browser/browser-app.ts";
import { drawnPicture } from "../support/dicom/picture-pixels.ts";
import { hostilePdf, longPdf, pagesPdf } from "../support/pdf/written-pdf.ts";

const RESULTS = join(import.meta.dir, "../../test-results");
const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
const MAX_LOOKS = 50;

const report = writeReportPdf({
  patient: { name: "João Batista", birthDate: "22/03/1968" },
  title: "Tomografia computadorizada do crânio",
  paragraphs: ["Análise:", "Parênquima encefálico com coeficientes de atenuação preservados."],
  signature: "Dra. Lívia Monteiro Sá",
});

describe("a report", () => {
  let app: BrowserApp;

  beforeAll(async () => {
    app = await createBrowserApp("reports");
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  async function ownerOfAStudy(name: string): Promise<Person> {
    const person = await app.addPerson(name);
    const instances = generateStudy({ kind: "ct-head", seed: 1, size: 64, instances: 4 });
    await app.testApp.store(person, await zipStudyBytes({ instances, folder: "DICOM" }));
    return person;
  }

  /** As this person in the exam list. */
  const inList = (person: Person, job: (page: Page) => Promise<void>, seat: Seat = {}) =>
    app.as(person, seat, async (page) => {
      await examsEntry(page).click();
      await page.locator("main[data-view=listaExames]").waitFor();
      await job(page);
    });

  async function attach(page: Page, pdf: Uint8Array): Promise<void> {
    await button(page, /^Anexar laudo: /).click();
    const file = { name: "laudo.pdf", mimeType: "application/pdf", buffer: Buffer.from(pdf) };
    await page.getByRole("dialog").locator("input[type=file]").setInputFiles(file);
    await button(page, "Anexar laudo").click();
    await page.getByText("Laudo anexado").first().waitFor();
  }

  async function open(page: Page): Promise<void> {
    await button(page, /^Ver laudo: /).click();
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
    "is attached, read, zoomed by keyboard and around the pointer by the wheel with Ctrl, searched, saved and deleted",
    async () => {
      await inList(await ownerOfAStudy("Helena Duarte"), async (page) => {
        await attach(page, report);
        await open(page);
        expect(await inkOf(page)).toBeGreaterThan(0.005);
        await page.getByText("Página 1 de 1").waitFor();
        await page.locator(".textLayer", { hasText: "João Batista" }).waitFor();
        await page.screenshot({ path: join(RESULTS, "report.png") });

        await page.getByLabel("Páginas", { exact: true }).focus();
        for (const [key, percent] of [
          ["+", "125%"],
          ["+", "150%"],
          ["-", "125%"],
          ["0", "100%"],
        ] as const) {
          await page.keyboard.press(key);
          await page.getByText(percent, { exact: true }).waitFor();
        }
        const line = page.locator(".textLayer span", { hasText: "Parênquima" });
        const before = await centreOf(line);
        await page.mouse.move(before.x, before.y);
        await page.keyboard.down("Control");
        await page.mouse.wheel(0, -160);
        await page.keyboard.up("Control");
        await page.getByText("170%", { exact: true }).waitFor();
        await line.waitFor();
        const after = await centreOf(line);
        expect(Math.abs(after.y - before.y)).toBeLessThan(40);
        await page.keyboard.press("0");
        await page.getByText("100%", { exact: true }).waitFor();

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

        await searchBox(page).fill("ENCEFALICO");
        await page.getByText("1 de 1", { exact: true }).waitFor();
        expect(await marked(page, "pdf-hit-now")).toEqual(["encefálico"]);

        await page.evaluate(() => {
          window.print = () => {
            document.title = `${document.querySelectorAll(".print-sheets img").length} printed`;
          };
        });
        await button(page, "Imprimir").click();
        await page.waitForFunction(() => document.title === "1 printed");
        expect(await page.locator(".print-sheets").count()).toBe(0);
        await page.evaluate(() => {
          document.title = "";
        });
        await page.keyboard.press("Control+p");
        await page.waitForFunction(() => document.title === "1 printed");

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
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "shows its search hits on the page, marks the current one, and moves between them by keyboard",
    async () => {
      await inList(await ownerOfAStudy("Rosa Lima"), async (page) => {
        const searched = pagesPdf(["Crânio", "normal"], ["Nada aqui"], ["O cranio e o", "CRÂNIO"]);
        await attach(page, searched);
        await open(page);
        await page.keyboard.press("Control+f");
        expect(await searchBox(page).evaluate((input) => input === document.activeElement)).toBe(true);
        const blank = await drawnPicture(await page.locator(".pdf-sheet").first().screenshot());

        await page.keyboard.type("cranio");
        await page.getByText("1 de 3", { exact: true }).waitFor();
        expect(await marked(page, "pdf-hit-now")).toEqual(["Crânio"]);
        expect(await marked(page, "pdf-hit")).not.toContain("Crânio");
        const [x, y] = await placeOfDrawnHit(page);
        expect(blank.at(x, y)).toEqual([255, 255, 255]);

        const steps: [key: string, position: string, words: string, place: string][] = [
          ["Enter", "2 de 3", "cranio", "Página 3 de 3"],
          ["Enter", "3 de 3", "CRÂNIO", "Página 3 de 3"],
          ["Enter", "1 de 3", "Crânio", "Página 1 de 3"],
          ["Shift+Enter", "3 de 3", "CRÂNIO", "Página 3 de 3"],
        ];
        for (const [key, position, words, place] of steps) {
          await page.keyboard.press(key);
          await page.getByText(position, { exact: true }).waitFor();
          await page.getByText(place, { exact: true }).waitFor();
          await waitForMarked(page, words);
          expect(await isCurrentHitSeen(page)).toBe(true);
        }
        expect(await marked(page, "pdf-hit")).toContain("cranio");

        // Over the end of a line, and still there when the paper is drawn anew.
        await searchBox(page).fill("e o cranio");
        await waitForMarked(page, "e oCRÂNIO");
        await button(page, "Aumentar").click();
        await waitForMarked(page, "e oCRÂNIO");
        await searchBox(page).fill("fígado");
        await page.getByText("Não encontrado", { exact: true }).waitFor();
        await page.keyboard.press("Escape");
        expect(await searchBox(page).inputValue()).toBe("");
        expect(await marked(page, "pdf-hit-now")).toEqual([]);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is attached, read, searched, saved and deleted without a mouse",
    async () => {
      await inList(await ownerOfAStudy("Davi Alves"), async (page) => {
        await tabTo(page, button(page, /^Anexar laudo: /));
        await page.keyboard.press("Enter");
        await page.getByRole("dialog").waitFor();
        const choosing = page.waitForEvent("filechooser");
        await tabTo(page, button(page, "Escolher PDF"));
        await page.keyboard.press("Enter");
        const file = { name: "laudo.PDF", mimeType: "application/pdf", buffer: Buffer.from(report) };
        await (await choosing).setFiles(file);
        await tabTo(page, button(page, "Anexar laudo"));
        await page.keyboard.press("Enter");
        await page.getByText("Laudo anexado").first().waitFor();

        await tabTo(page, button(page, /^Ver laudo: /));
        await page.keyboard.press("Space");
        await page.locator("main[data-view=laudo] .textLayer span").first().waitFor();

        await page.keyboard.press("Control+f");
        await page.keyboard.type("preservados");
        await page.getByText("1 de 1", { exact: true }).waitFor();

        const saving = page.waitForEvent("download");
        await tabTo(page, button(page, "Baixar"));
        await page.keyboard.press("Enter");
        expect(await Bun.file(await (await saving).path()).bytes()).toEqual(Uint8Array.from(report));

        await tabTo(page, button(page, "Excluir laudo"));
        await page.keyboard.press("Enter");
        const dialog = page.getByRole("alertdialog", { name: "Confirmar exclusão" });
        await dialog.waitFor();
        expect(await dialog.getByRole("button").allInnerTexts()).toEqual(["Cancelar", "Sim, excluir"]);
        expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Cancelar");
        await page.keyboard.press("Enter");
        await dialog.waitFor({ state: "detached" });
        await tabTo(page, button(page, "Excluir laudo"));
        await page.keyboard.press("Enter");
        await tabTo(page, button(page, "Sim, excluir"));
        await page.keyboard.press("Enter");
        await page.getByText("PDF excluído").first().waitFor();
        await button(page, /^Anexar laudo: /).waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is attached, read, pinched, searched, saved and deleted on a phone of 360 pixels, by touch",
    async () => {
      const phone = async (page: Page) => {
        await page.locator("button.phone-study-toggle").first().tap();
        await button(page, /^Anexar laudo: /).tap();
        const file = { name: "laudo.pdf", mimeType: "application/pdf", buffer: Buffer.from(report) };
        await page.getByRole("dialog").locator("input[type=file]").setInputFiles(file);
        await button(page, "Anexar laudo").tap();
        await page.getByText("Laudo anexado").first().waitFor();
        await button(page, /^Ver laudo: /).tap();
        await page.locator(".pdf-sheet .textLayer span").first().waitFor();
        expect(await inkOf(page)).toBeGreaterThan(0.005);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);

        const width = () => page.locator(".pdf-sheet").evaluate((sheet) => sheet.clientWidth);
        const before = await width();
        await pinch(page, 2);
        await page.waitForFunction(
          (was) => (document.querySelector(".pdf-sheet")?.clientWidth ?? 0) > was * 1.7,
          before,
        );
        expect(await page.evaluate(() => visualViewport?.scale)).toBe(1);

        await button(page, "Buscar no documento").tap();
        await page.keyboard.type("preservados");
        await page.getByText("1 de 1", { exact: true }).waitFor();
        await waitForMarked(page, "preservados");
        expect(await isCurrentHitSeen(page)).toBe(true);
        await page.screenshot({ path: join(RESULTS, "report-phone.png") });
        for (const name of ["Ocorrência anterior", "Próxima ocorrência", "Fechar busca"]) {
          const box = await button(page, name).boundingBox();
          expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
        }
        await button(page, "Fechar busca").tap();

        const saving = page.waitForEvent("download");
        await button(page, "Baixar").tap();
        expect(await Bun.file(await (await saving).path()).bytes()).toEqual(Uint8Array.from(report));
        await button(page, "Excluir laudo").tap();
        await button(page, "Sim, excluir").tap();
        await page.getByText("O laudo foi excluído com sucesso").first().waitFor();
        await page.locator("main[data-view=listaExames]").waitFor();
      };
      await inList(await ownerOfAStudy("Lia Nunes"), phone, { device: PHONE });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "can be dropped or picked; a file that is not a PDF is refused and nothing is sent",
    async () => {
      await inList(await ownerOfAStudy("Caio Melo"), async (page) => {
        await button(page, /^Anexar laudo: /).click();
        const drop = (name: string, type: string, bytes: Uint8Array) =>
          dropFile(page, page.getByRole("region", { name: "Arquivo PDF" }), { name, type, bytes });
        await drop("laudo.pdf", "image/png", report);
        await page
          .getByText("Arquivo inválido: Por favor, selecione apenas arquivos PDF.", { exact: true })
          .waitFor();
        expect(await button(page, "Anexar laudo").isDisabled()).toBe(true);
        await drop("sem extensão", "application/pdf", report);
        await page.getByText("Arquivo inválido").waitFor({ state: "detached" });
        await button(page, "Anexar laudo").click();
        await page.getByText("Laudo anexado").first().waitFor();
        await open(page);
        expect(await inkOf(page)).toBeGreaterThan(0.005);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "can't run scripts, start programs or open other addresses",
    async () => {
      await inList(await ownerOfAStudy("Taro Yamada"), async (page) => {
        const wishes: string[] = [];
        page.context().on("request", (request) => {
          const isOurs = request.url().startsWith(`${app.origin}/`) || /^(blob|data):/.test(request.url());
          if (!isOurs || request.url().includes("/evil")) wishes.push(request.url());
        });
        page.on("dialog", (dialog) => {
          wishes.push(`dialog: ${dialog.message()}`);
          void dialog.dismiss();
        });
        page.context().on("page", (opened) => wishes.push(`page: ${opened.url()}`));
        await attach(page, hostilePdf(`${app.origin}/evil`));
        await open(page);
        expect(await inkOf(page)).toBeGreaterThan(0.001);
        await page.locator(".pdf-sheet").first().click();
        await page.locator(".pdf-sheet").first().hover();
        await page.waitForTimeout(500);
        expect(await page.locator(".pdf-sheet").locator("a, button, input, iframe, script").count()).toBe(0);
        expect(page.url()).toBe(`${app.origin}/his`);
        expect(wishes).toEqual([]);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "of 10,000 pages opens, and draws only the visible ones",
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

function searchBox(page: Page): Locator {
  return page.getByRole("searchbox", { name: "Buscar no documento" });
}

/** The words that a mark of the style sheet lies on. */
function marked(page: Page, name: "pdf-hit" | "pdf-hit-now"): Promise<string[]> {
  return page.evaluate((key) => [...(CSS.highlights.get(key) ?? [])].map(String), name);
}

async function waitForMarked(page: Page, words: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => [...(CSS.highlights.get("pdf-hit-now") ?? [])].map(String).join() === wanted,
    words,
  );
}

/** Where the current hit is, once it is drawn in colour: the mark is set before the frame that shows it. */
async function placeOfDrawnHit(page: Page): Promise<[x: number, y: number]> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const place = await hitPlace(page);
    const picture = await drawnPicture(await page.locator(".pdf-sheet").first().screenshot());
    const [red, , blue] = picture.at(...place);
    if (red - blue > 60) return place;
  }
  throw new Error("the current hit is not drawn");
}

/** A point inside the current hit that is no ink, from the corner of the first page. */
function hitPlace(page: Page): Promise<[x: number, y: number]> {
  return page.evaluate(() => {
    const [range] = CSS.highlights.get("pdf-hit-now") ?? [];
    const hit = (range as Range).getBoundingClientRect();
    const sheet = document.querySelector(".pdf-sheet")?.getBoundingClientRect();
    return [Math.round(hit.left - (sheet?.left ?? 0)) + 2, Math.round(hit.top - (sheet?.top ?? 0)) + 2];
  });
}

function isCurrentHitSeen(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const [range] = CSS.highlights.get("pdf-hit-now") ?? [];
    const hit = (range as Range).getBoundingClientRect();
    const desk = document.querySelector(".pdf-desk")?.getBoundingClientRect();
    if (!desk) return false;
    return (
      hit.top >= desk.top && hit.bottom <= desk.bottom && hit.left >= desk.left && hit.right <= desk.right
    );
  });
}

async function centreOf(locator: Locator): Promise<{ x: number; y: number }> {
  const box = await locator.boundingBox();
  if (!box) throw new Error("it is not on the page");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Two fingers that part on the paper. */
async function pinch(page: Page, factor: number): Promise<void> {
  const { x, y } = await centreOf(page.locator(".pdf-desk"));
  const input = await page.context().newCDPSession(page);
  const fingers = (apart: number) => [
    { x: x - apart / 2, y, id: 0 },
    { x: x + apart / 2, y, id: 1 },
  ];
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: ReturnType<typeof fingers>) =>
    input.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", fingers(100));
  for (let step = 1; step <= 5; step++)
    await touch("touchMove", fingers(100 + (100 * (factor - 1) * step) / 5));
  await touch("touchEnd", []);
}
