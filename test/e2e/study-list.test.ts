import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { writeReportPdf } from "../../scripts/demo/pdf.ts";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import type { Locale } from "../../src/shared/locale.ts";
import type { Person } from "../support/app/test-app.ts";
import { tusOf } from "../support/app/tus.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  enter,
  examsEntry,
  field,
  PHONE,
  tap,
} from "../support/browser/browser-app.ts";
import { formBody } from "../support/pdf/sample-pdf.ts";
import { until } from "../support/until.ts";
import { type SampleInstance, sampleZip, studyUID } from "../support/zip/sample-zip.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
const STUDIES = 14;
const POLL_MS = 5_000;
/** The columns of a person whose exams are of one patient. */
const COLUMNS = ["Data", "Descrição", "Modalidade", "Imagens", "Séries", "Laudo", "Visualizador", "Ações"];

/** The study of the n-th of January 2026; the third one is told from all others by everything. */
function studyOf(n: number): SampleInstance {
  const isThird = n === 3;
  const text = (third: string, other: string) => [isThird ? third : other];
  return {
    study: `80${n}`,
    elements: {
      [TagHex.StudyDate]: { vr: "DA", Value: [`202601${String(n).padStart(2, "0")}`] },
      [TagHex.AccessionNumber]: { vr: "SH", Value: text("AC-77", `B-${n}`) },
      [TagHex.Modality]: { vr: "CS", Value: text("MR", "CT") },
      [TagHex.StudyDescription]: {
        vr: "LO",
        Value: text("Ressonância do joelho", `Tórax ${String(n).padStart(2, "0")}`),
      },
      [TagHex.PatientName]: { vr: "PN", Value: text("Conceição^João", "Silva^Ana") },
      [TagHex.PatientID]: { vr: "LO", Value: text("PX-9", "P 001") },
    },
  };
}

const report = writeReportPdf({
  patient: { name: "Ana Silva", birthDate: "22/03/1968" },
  title: "Tomografia do tórax",
  paragraphs: ["Pulmões sem alterações."],
  signature: "Dra. Lívia Monteiro Sá",
});

const texts = {
  "pt-BR": {
    showing: (from: number, to: number, all: number) =>
      `Mostrando ${from} a ${to} de ${all} ${all === 1 ? "resultado" : "resultados"}`,
    failed: "Erro ao carregar estudos",
    again: "Tentar novamente",
    expired: "Sessão expirada. Faça login novamente.",
    refresh: "Atualizar",
    remove: "Excluir exame",
    question: "Confirmar Exclusão",
    yes: "Excluir",
    removed: "Exame excluído",
    notRemoved: "Erro ao excluir",
    wordless: "Erro ao deletar exame",
    exams: "Exames",
    actions: "Ações do mês",
    wait: "Aguarde o fim da transferência",
    open: "Abrir",
  },
  "en-US": {
    showing: (from: number, to: number, all: number) =>
      `Showing ${from} to ${to} of ${all} ${all === 1 ? "result" : "results"}`,
    failed: "Error loading studies",
    again: "Try again",
    expired: "Session expired. Please log in again.",
    refresh: "Refresh",
    remove: "Delete exam",
    question: "Confirm deletion",
    yes: "Delete",
    removed: "Exam deleted",
    notRemoved: "Error deleting",
    wordless: "Error deleting exam",
    exams: "Exams",
    actions: "Actions this month",
    wait: "Wait for the transfer to finish",
    open: "Open",
  },
} satisfies Record<Locale, Record<string, unknown>>;
const pt = texts["pt-BR"];

/** Buttons of the line that the panel around it cuts off at its right edge. */
function cutOff(line: Locator): Promise<string[]> {
  return line.evaluate((element) => {
    const right = element.closest(".panel")?.getBoundingClientRect().right ?? 0;
    const buttons = [...element.querySelectorAll("button")];
    return buttons.filter((one) => one.getBoundingClientRect().right > right).map((one) => one.textContent);
  });
}

describe("the study list", () => {
  let app: BrowserApp;
  let owner: Person;
  beforeAll(async () => {
    app = await createBrowserApp("study-list");
    owner = await app.addPerson("Ana Silva", { plan: "clinica" });
    await app.testApp.store(owner, sampleZip(...Array.from({ length: STUDIES }, (_, i) => studyOf(i + 1))));
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  async function openList(page: Page): Promise<void> {
    await examsEntry(page).click();
    await rows(page).first().waitFor();
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  }
  const rows = (page: Page) =>
    page.locator("table[aria-busy=false] tr.study-row, .phone-studies:not([aria-busy]) > .phone-study");
  const titles = (page: Page) => rows(page).locator("b").allTextContents();
  const showing = async (page: Page, from: number, to: number, all: number) => {
    await page.getByText(pt.showing(from, to, all), { exact: true }).waitFor();
    // While a page is read, the rows of the one before it stay.
    await until(async () => (await rows(page).count()) === to - from + 1);
  };
  const heads = async (page: Page) =>
    (await page.getByRole("columnheader").allTextContents()).map((text) => text.trim());
  const head = (page: Page, name: string) => page.getByRole("columnheader", { name, exact: true });
  const edge = (page: Page, name: string) =>
    page.getByRole("separator", { name: `Largura da coluna ${name}` });
  const widthOf = async (place: Locator) => Math.round((await place.boundingBox())?.width ?? 0);

  /** A drawing may be some frames behind the hand. */
  const isAsWide = (page: Page, column: string, widthPx: number) =>
    page
      .waitForFunction(
        (wanted) =>
          document.querySelector<HTMLElement>(`th[data-column=${wanted.column}]`)?.offsetWidth ===
          wanted.widthPx,
        { column, widthPx },
      )
      .catch(async () => expect(await widthOf(page.locator(`th[data-column=${column}]`))).toBe(widthPx));

  async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move((from.x + to.x) / 2, to.y, { steps: 5 });
    await page.mouse.move(to.x, to.y, { steps: 5 });
    await page.mouse.up();
  }
  async function middleOf(place: Locator): Promise<{ x: number; y: number }> {
    const box = await place.boundingBox();
    if (!box) throw new Error("it is not drawn");
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }
  async function attachReport(studyDate: string): Promise<void> {
    const [study] = await app.testApp
      .sql`select id from studies where account_id = ${owner.id} and study_date = ${studyDate}`;
    const form = await formBody({ studyInstanceUID: study?.id }, { name: "laudo", bytes: report });
    await app.testApp.call("POST", "/api/studies/laudo/upload", { as: owner, ...form });
  }

  /** The report is not covered, rings are whole, and few stops lead to the way on. */
  async function expectRoomAt(page: Page, width: number): Promise<void> {
    const row = rows(page).first();
    const report = await row.locator("[data-column=laudo] button").boundingBox();
    const viewer = await row.locator("[data-column=viewer]").boundingBox();
    const title = await row.locator(".study-name").boundingBox();
    if (!report || !viewer || !title) throw new Error("it is not drawn");
    expect({ width, isCovered: report.x + report.width > viewer.x + 1 }).toEqual({
      width,
      isCovered: false,
    });
    expect(title.height).toBeLessThanOrEqual(41);
    const open = await row.locator("[data-column=viewer] button").boundingBox();
    // The ring is 2 px wide, 2 px away.
    expect((open?.x ?? 0) + (open?.width ?? 0) + 4).toBeLessThanOrEqual(viewer.x + viewer.width);
    await button(page, "Selecionar exames").focus();
    let stops = 0;
    const isAtOpen = () => document.activeElement?.closest("[data-column=viewer]") !== null;
    while (!(await page.evaluate(isAtOpen)) && stops < 30) {
      await page.keyboard.press("Tab");
      stops += 1;
    }
    expect(stops).toBeLessThanOrEqual(17);
  }

  test(
    "breaks the name of an exam between its words on a tablet",
    async () => {
      const person = await app.addPerson("Eva Coração", { role: "admin" });
      const elements = {
        [TagHex.StudyDescription]: { vr: "LO", Value: ["Ecocardiograma transtorácico"] },
      } as const;
      await app.testApp.store(person, sampleZip({ study: "974", elements }));
      await app.as(person, { device: { viewport: { width: 768, height: 900 } } }, async (page) => {
        await openList(page);
        const title = page.locator(".study-name", { hasText: "Ecocardiograma" });
        const lines = await title.evaluate((name) => {
          const word = document.createRange();
          word.setStart(name.firstChild as Node, 0);
          word.setEnd(name.firstChild as Node, "Ecocardiograma".length);
          return word.getClientRects().length;
        });
        expect(lines).toBe(1);
        await page.screenshot({ path: "test-results/list-768.png" });
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "shows the whole surname of a patient on a tablet and on a desktop",
    async () => {
      const person = await app.addPerson("Iara Sobrenome", { role: "admin" });
      const named = (name: string) => ({
        [TagHex.PatientName]: { vr: "PN", Value: [name] },
      });
      await app.testApp.store(person, sampleZip({ study: "975", elements: named("Gonçalves^João") }));
      await app.testApp.store(person, sampleZip({ study: "976", elements: named("Sant'Ana-Leão^Rui") }));
      for (const width of [768, 1440]) {
        await app.as(person, { device: { viewport: { width, height: 900 } } }, async (page) => {
          await openList(page);
          const names = page.locator(".study-expander-text");
          for (const surname of ["Gonçalves", "Sant'Ana-Leão"]) {
            const name = names.getByText(surname, { exact: true }).first();
            const cut = await name.evaluate((text) => [
              text.scrollWidth - text.clientWidth,
              text.scrollHeight - text.clientHeight,
            ]);
            expect({ width, surname, cut }).toEqual({ width, surname, cut: [0, 0] });
          }
        });
      }
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is narrowed by each filter, and complete again when they are cleared",
    () =>
      app.as(owner, {}, async (page) => {
        await openList(page);
        await showing(page, 1, 10, STUDIES);
        const name = field(page, "Nome do paciente");
        await name.fill("CONCEICAO");
        await showing(page, 1, 1, 1);
        expect(await titles(page)).toEqual(["Ressonância do joelho"]);
        await button(page, "Limpar filtros").click();
        await showing(page, 1, 10, STUDIES);

        await field(page, "Data inicial").fill("03/01/2026");
        await field(page, "Data final").fill("05/01/2026");
        await showing(page, 1, 3, 3);
        await page.getByRole("combobox", { name: "Modalidade" }).click();
        await page.getByRole("option", { name: /Ressonância/ }).click();
        await showing(page, 1, 1, 1);
        await button(page, "Limpar filtros").click();
        await showing(page, 1, 10, STUDIES);

        for (const [label, text] of [
          ["Descrição", "JOELHO"],
          ["Nº de acesso", "ac-77"],
          ["ID do paciente", "px-9"],
        ] as const) {
          await button(page, /^Mais filtros/).click();
          await page.getByRole("searchbox", { name: label }).fill(text);
          await showing(page, 1, 1, 1);
          expect(await titles(page)).toEqual(["Ressonância do joelho"]);
          await page.keyboard.press("Escape");
          await page.locator(".filter-count").getByText("1").waitFor();
          await button(page, "Limpar filtros").click();
          await showing(page, 1, 10, STUDIES);
        }
        await name.fill("ninguém");
        await page.getByText("Nenhum exame corresponde a estes filtros.").waitFor();
        await button(page.getByRole("status"), "Limpar filtros").click();
        await showing(page, 1, 10, STUDIES);
        expect(await name.inputValue()).toBe("");
      }),
    JOB_TIMEOUT_MS,
  );

  test(
    "comes back as it was left: page, filters, order, open rows and scroll position",
    async () => {
      await attachReport("2026-01-13");
      await app.as(owner, { device: { viewport: { width: 1280, height: 600 } } }, async (page) => {
        await openList(page);
        await field(page, "Nome do paciente").fill("silva");
        await showing(page, 1, 10, STUDIES - 1);
        await button(page, "Descrição").click();
        await page.waitForFunction(() => document.querySelector("[aria-sort=ascending]"));
        await button(page, "Próximo").click();
        await showing(page, 11, 13, 13);
        expect(await titles(page)).toEqual(["Tórax 12", "Tórax 13", "Tórax 14"]);
        await button(rows(page).first(), /^Séries de Tórax 12/).click();
        await page.locator(".series-card").first().waitFor();
        const seeReport = button(page, "Ver laudo: Tórax 13");
        await seeReport.scrollIntoViewIfNeeded();
        await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
        const left = await page.evaluate(() => window.scrollY);
        expect(left).toBeGreaterThan(50);

        await seeReport.click();
        await page.locator(".textLayer", { hasText: "Pulmões" }).waitFor();
        expect(await page.evaluate(() => window.scrollY)).toBe(0);
        const isAsLeft = async () => {
          await showing(page, 11, 13, 13);
          expect(await titles(page)).toEqual(["Tórax 12", "Tórax 13", "Tórax 14"]);
          expect(await field(page, "Nome do paciente").inputValue()).toBe("silva");
          expect(await head(page, "Descrição").getAttribute("aria-sort")).toBe("ascending");
          expect(await page.locator(".series-card").count()).toBe(1);
          await page.waitForFunction((top) => Math.abs(window.scrollY - top) <= 1, left);
        };
        await button(page, "Voltar para a lista").click();
        await isAsLeft();
        await page.waitForFunction(
          (label) => document.activeElement?.getAttribute("aria-label") === label,
          "Ver laudo: Tórax 13",
        );
        await button(page, "Suporte").click();
        await page.locator("main[data-view=support]").waitFor();
        await button(page, "Meus exames").click();
        await isAsLeft();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "lets columns be moved and resized by mouse and by keyboard, and remembers them",
    () =>
      app.as(owner, { device: { viewport: { width: 1600, height: 900 } } }, async (page) => {
        await openList(page);
        expect(await heads(page)).toEqual(["Paciente", ...COLUMNS]);
        const from = await middleOf(head(page, "Séries"));
        await drag(page, from, await middleOf(head(page, "Modalidade")));
        const moved = [
          "Paciente",
          "Data",
          "Descrição",
          "Séries",
          "Modalidade",
          "Imagens",
          "Laudo",
          "Visualizador",
          "Ações",
        ];
        await page.waitForFunction(
          () => document.querySelectorAll("th")[3]?.getAttribute("data-column") === "seriesCount",
        );
        expect(await heads(page)).toEqual(moved);
        // Onto a pinned one it is not put.
        const laudo = await middleOf(head(page, "Laudo"));
        await drag(page, laudo, await middleOf(head(page, "Ações")));
        expect((await heads(page)).slice(-2)).toEqual(["Visualizador", "Ações"]);
        const actions = await middleOf(head(page, "Ações"));
        await drag(page, actions, await middleOf(head(page, "Data")));
        expect(await heads(page)).toEqual(moved);
        await drag(page, await middleOf(head(page, "Paciente")), await middleOf(head(page, "Modalidade")));
        expect(await heads(page)).toEqual(moved);

        await button(page, "Paciente").focus();
        for (let step = 0; step < 5; step++) await page.keyboard.press("ArrowRight");
        await page.getByText(/^Setas: outra coluna/).waitFor();
        await page.keyboard.press("Shift+ArrowLeft");
        const both = [
          "Paciente",
          "Data",
          "Descrição",
          "Séries",
          "Imagens",
          "Modalidade",
          "Laudo",
          "Visualizador",
          "Ações",
        ];
        await page.getByRole("status").getByText("Imagens: coluna 4 de 6").waitFor();
        expect(await heads(page)).toEqual(both);

        const date = await middleOf(edge(page, "Data"));
        const own = await widthOf(head(page, "Data"));
        await drag(page, date, { x: date.x + 60, y: date.y });
        await isAsWide(page, "studyDate", own + 60);
        await drag(page, { x: date.x + 60, y: date.y }, { x: date.x - 400, y: date.y });
        await isAsWide(page, "studyDate", 80);
        await button(page, "Imagens").focus();
        await page.keyboard.press("ArrowRight");
        for (let step = 0; step < 30; step++) await page.keyboard.press("-");
        await page.keyboard.press("+");
        await isAsWide(page, "modality", 90);

        await page.reload();
        await rows(page).first().waitFor();
        expect(await heads(page)).toEqual(both);
        expect(await widthOf(head(page, "Data"))).toBe(80);
        expect(await widthOf(head(page, "Modalidade"))).toBe(90);
      }),
    JOB_TIMEOUT_MS,
  );

  test(
    "shows the report, whole rings and few stops at every width, and the way on without scrolling on a phone",
    async () => {
      const admin = await app.addPerson("Beatriz Admin", { role: "admin" });
      for (const [as, widths] of [
        [owner, [768, 1024, 1280]],
        [admin, [768]],
      ] as const) {
        await app.as(as, { device: { viewport: { width: widths[0], height: 900 } } }, async (page) => {
          await examsEntry(page).click();
          await rows(page).first().waitFor();
          for (const width of widths) {
            await page.setViewportSize({ width, height: 900 });
            await page.evaluate(async () => {
              for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
            });
            await expectRoomAt(page, width);
          }
          await page.setViewportSize({ width: widths[0], height: 900 });
          await page.locator(".expander").first().click();
          const check = page.locator(".study-check").first();
          await check.waitFor();
          const said = await check.locator("p").boundingBox();
          expect(said?.height ?? 0).toBeLessThanOrEqual(41);
          expect(await cutOff(check)).toEqual([]);
        });
      }
      const nobody = await app.addPerson("Nada Ainda");
      const device = { ...PHONE, viewport: { width: 360, height: 640 } };
      await app.as(owner, { device }, async (page) => {
        await tap(page, examsEntry(page));
        await page.locator("button.phone-study-toggle").first().click();
        expect(await cutOff(page.locator(".study-check"))).toEqual([]);
      });
      await app.as(nobody, { device }, async (page) => {
        await tap(page, examsEntry(page));
        const first = button(page, "Enviar primeiro exame");
        await first.waitFor();
        const box = await first.boundingBox();
        const tabs = await page.locator(".phone-tabs").boundingBox();
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(tabs?.y ?? 0);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "opens a row to its series, and prints as a plain list",
    async () => {
      const uploads = tusOf(app.testApp, owner);
      const upload = await uploads.begin(1000);
      await app.as(owner, {}, async (page) => {
        await openList(page);
        const row = rows(page).first();
        expect(await row.locator("[data-column=studyDate]").textContent()).toBe("14-01-2026");
        await button(row, /^Séries de Tórax 14, Silva$/).click();
        const series = page.locator(".series-card");
        await series.getByText("Axial 5 mm").waitFor();
        expect(await series.textContent()).toContain("CT · 1 imagem");
        await page.locator(".study-identifiers").getByText("2.25.1.8014").waitFor();

        const tray = page.getByRole("region", { name: "Envios" });
        await tray.waitFor();

        await page.emulateMedia({ media: "print" });
        expect(await head(page, "Data").isVisible()).toBe(true);
        await page.getByText(pt.showing(1, 10, STUDIES)).waitFor();
        for (const hidden of [
          page.getByRole("search"),
          page.locator(".side"),
          page.locator("th[data-column=actions]"),
          page.locator("th[data-column=viewer]"),
          button(page, "Enviar exames").last(),
          button(page, "Próximo"),
          tray,
        ]) {
          expect(await hidden.isVisible()).toBe(false);
        }
        const colours = await page
          .locator(".study-name")
          .first()
          .evaluate((name) => getComputedStyle(name).color);
        expect(colours).toBe("rgb(0, 0, 0)");
        const sheet = await page.pdf({ format: "A4" });
        expect(sheet.byteLength).toBeGreaterThan(5_000);
      });
      await uploads.end(upload);
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "can be filtered, sorted, opened and emptied without a mouse",
    async () => {
      const person = await app.addPerson("Paula Teclado");
      await app.testApp.store(person, sampleZip({ study: "901" }, { study: "902" }));
      // A picture may be asked for in the moment in which its study goes.
      const expected = [/^answer: 404 .*\/thumbnail/, /status of 404/];
      await app.as(person, { expected }, async (page) => {
        await enter(page, examsEntry(page));
        await rows(page).nth(1).waitFor();
        // Exams of one patient have no column for them: the date opens the row.
        expect(await heads(page)).toEqual(COLUMNS);
        expect(
          await button(rows(page).first().locator("[data-column=studyDate]"), /^Séries de/).count(),
        ).toBe(1);
        await enter(page, button(page, "Data"));
        await page.waitForFunction(() => document.querySelector("[aria-sort=ascending]"));
        await enter(page, button(rows(page).first(), /^Séries de/));
        await page.locator(".series-card").first().waitFor();
        for (const left of [1, 0]) {
          await enter(page, button(rows(page).first(), pt.remove));
          await page.waitForFunction(() => document.activeElement?.textContent === "Cancelar");
          await page.keyboard.press("Tab");
          await page.keyboard.press("Enter");
          await page.getByText(pt.removed).first().waitFor();
          await page.getByRole("alertdialog").waitFor({ state: "detached" });
          if (left > 0) await showing(page, 1, left, left);
        }
        await page.getByText("Nenhum exame por aqui ainda").waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "can be filtered, paged, opened and emptied by touch",
    async () => {
      const person = await app.addPerson("Marina Telefone", { plan: "clinica" });
      await app.testApp.store(person, sampleZip(...Array.from({ length: 11 }, (_, i) => studyOf(i + 1))));
      await app.as(person, { device: PHONE }, async (page) => {
        await tap(page, examsEntry(page));
        await showing(page, 1, 10, 11);
        await tap(page, button(page, "Próximo"));
        await showing(page, 11, 11, 11);
        await tap(page, button(page, /^Filtros/));
        const sheet = page.getByRole("dialog", { name: "Filtros" });
        await tap(page, field(sheet, "Descrição"));
        await page.keyboard.insertText("joelho");
        await tap(page, button(sheet, "Mostrar exames"));
        await sheet.waitFor({ state: "detached" });
        await showing(page, 1, 1, 1);
        await tap(page, rows(page).locator("button.phone-study-toggle"));
        await page.locator(".series-card").first().waitFor();
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow).toBeLessThanOrEqual(0);
        await tap(page, button(page, "Mais ações"));
        await tap(page, page.getByRole("menuitem", { name: pt.remove }));
        await tap(page, button(page.getByRole("alertdialog"), pt.yes));
        await page.getByText(pt.removed).first().waitFor();
        await page.getByText("Nenhum exame corresponde a estes filtros.").waitFor();
        await tap(page, button(page.getByRole("status"), "Limpar filtros"));
        await showing(page, 1, 10, 10);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is left and restored by Back, Forward and a reload, by touch",
    async () => {
      const person = await app.addPerson("Clara Volta");
      await app.testApp.store(person, sampleZip({ study: "961" }));
      await app.testApp.store(person, sampleZip({ study: "962" }));
      const form = await formBody({ studyInstanceUID: studyUID("961") }, { name: "laudo", bytes: report });
      await app.testApp.call("POST", "/api/studies/laudo/upload", { as: person, ...form });
      await app.as(person, { device: PHONE }, async (page) => {
        const viewer = page.locator(".visor");
        const dialog = page.getByRole("dialog", { name: "Laudo" });
        const paper = page.locator("main[data-view=laudo] .pdf");
        const list = page.locator("main[data-view=listaExames]");
        const isAt = async (shown: Locator, ...gone: Locator[]) => {
          await shown.waitFor();
          for (const other of gone) await other.waitFor({ state: "detached" });
          expect(new URL(page.url()).pathname).toBe("/his");
        };
        await tap(page, examsEntry(page));
        await tap(page, rows(page).first().locator("[data-opens]").first());
        await isAt(viewer);
        await viewer.locator("canvas[data-slice]").waitFor();
        await page.goBack();
        await isAt(list, viewer);
        await page.goForward();
        await isAt(viewer);
        await page.reload();
        await isAt(viewer);
        await page.goBack();
        await isAt(list, viewer);

        // One of the two studies has a report, which its button opens; the other one's button opens the dialog.
        for (const [name, shown] of [
          [/^Anexar laudo/, dialog],
          [/^Ver laudo/, paper],
        ] as const) {
          const isRead = shown === paper;
          const marked = page.locator(".sr-only", { hasText: "Disponível" });
          const row = rows(page).filter(isRead ? { has: marked } : { hasNot: marked });
          await tap(page, row.locator("button.phone-study-toggle"));
          await tap(page, button(row, name));
          await isAt(shown);
          await page.goBack();
          await isAt(list, shown);
          await page.goForward();
          await isAt(shown);
          await page.reload();
          await isAt(shown);
          await page.goBack();
          await isAt(list, shown);
        }

        await tap(page, button(page.getByRole("navigation"), "Menu"));
        const drawer = page.getByRole("dialog", { name: "Menu" });
        await isAt(drawer);
        await page.goBack();
        await isAt(list, drawer);
        await page.goBack();
        await isAt(page.locator("main[data-view=welcome]"), list);
      });
    },
    JOB_TIMEOUT_MS,
  );

  for (const language of ["pt-BR", "en-US"] as const) {
    const t = texts[language];
    test(
      `waits for a transfer, and reports failures and deletions, in ${language}`,
      async () => {
        const person = await app.addPerson("Rosa Espera");
        await app.testApp.store(person, sampleZip({ study: "951" }, { study: "952" }));
        const { sql } = app.testApp;
        const setStatus = (status: string) =>
          sql`update studies set storage_status = ${status}::storage_status where account_id = ${person.id}`;
        await setStatus("transferring");
        const prepare = (context: { clock: Page["clock"] }) => context.clock.install();
        const expected = [/40[13]|50[0-9]/];
        await app.as(person, { language, prepare, expected }, async (page) => {
          await openList(page);
          const open = button(rows(page).first(), t.open);
          expect(await open.getAttribute("aria-disabled")).toBe("true");
          await open.hover();
          await page.getByRole("tooltip").getByText(t.wait).waitFor();
          await setStatus("b2");
          await page.clock.runFor(POLL_MS);
          await page.locator(".study-row [aria-disabled=false]").first().waitFor();

          // Answers from before are kept for a minute; what fails after that is told beside them.
          const list = /\/api\/studies\?/;
          await page.route(list, (route) => route.fulfill({ status: 500, body: "" }));
          let asked = 0;
          page.on("response", (response) => {
            if (list.test(response.url())) asked += 1;
          });
          await button(page, t.refresh).click();
          for (const attempts of [1, 2, 3]) {
            while (asked < attempts) await page.waitForResponse(list).catch(() => undefined);
            await page.clock.runFor(2_000);
          }
          await page.getByText(t.failed, { exact: true }).waitFor();
          expect(await rows(page).count()).toBe(2);
          await page.unroute(list);
          await button(page, t.again).click();
          await page.getByText(t.failed, { exact: true }).waitFor({ state: "detached" });

          const meter = (name: string) =>
            page.getByRole("meter", { name, exact: true }).getAttribute("aria-valuenow");
          expect([await meter(t.exams), await meter(t.actions)]).toEqual(["2", "0"]);
          const remove = async () => {
            await button(rows(page).first(), t.remove).click();
            await button(page.getByRole("alertdialog", { name: t.question }), t.yes).click();
            await page.getByRole("alertdialog").waitFor({ state: "detached" });
          };
          const call = /\/api\/studies\/[0-9a-f-]+$/;
          await page.route(call, (route) => route.fulfill({ status: 502, body: "bad gateway" }));
          await remove();
          await page.getByText(t.notRemoved, { exact: true }).waitFor();
          await page.getByText(t.wordless, { exact: true }).first().waitFor();
          await page.unroute(call);
          await remove();
          await page.getByText(t.removed, { exact: true }).first().waitFor();
          await page.getByText(t.showing(1, 1, 1), { exact: true }).waitFor();
          expect([await meter(t.exams), await meter(t.actions)]).toEqual(["1", "1"]);

          await app.testApp.call("POST", "/api/auth/logout", { as: person });
          await button(page, t.refresh).click();
          await page.getByText(t.expired).first().waitFor();
          await page.waitForURL(/\/(\?expired=true)?$/);
        });
      },
      JOB_TIMEOUT_MS,
    );
  }
});
