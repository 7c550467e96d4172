import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { writeReportPdf } from "../../scripts/demo/pdf.ts";
import type { Locale } from "../../src/shared/locale.ts";
import type { Person } from "../support/app/test-app.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  dropFile,
  enter,
  field,
  leave,
  PHONE,
  type Seat,
  tabTo,
  tap,
} from "../support/browser/browser-app.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;

const pdf = writeReportPdf({
  patient: { name: "Helena Duarte", birthDate: "22/03/1968" },
  title: "Hemograma completo",
  paragraphs: ["Hemoglobina 13,4 g/dL."],
  signature: "Laboratório Boa Vista",
});
const pdfFile = { name: "hemograma.pdf", mimeType: "application/pdf", buffer: Buffer.from(pdf) };

const texts = {
  "pt-BR": {
    menu: "Laboratório",
    none: "Nenhum exame laboratorial ainda",
    add: "Adicionar exame",
    save: "Salvar exame",
    incomplete: "Por favor, preencha todos os campos e selecione um arquivo PDF",
    onlyPdf: "Arquivo inválido: Por favor, selecione apenas arquivos PDF.",
    drop: "Arquivo PDF",
    name: "Nome do exame",
    date: "Data do exame (opcional)",
    typedDate: "10/11/2026",
    modality: "Modalidade",
    laboratory: "Laboratoriais",
    density: "Densitometria",
    all: "Todas",
    saved: "Exame salvo",
    noMatch: "Nenhum exame corresponde aos filtros.",
    clear: "Limpar filtros",
    view: "Ver Hemograma completo",
    back: "Voltar para a lista",
    download: "Baixar Hemograma completo",
    warning: "Você usou 80% das ações de laboratório deste mês.",
    remove: "Excluir Hemograma completo",
    question: "Confirmar Exclusão",
    cancel: "Cancelar",
    yes: "Sim, excluir",
    removed: "Exame excluído",
    exams: "Exames laboratoriais",
    actions: "Ações do mês",
  },
  "en-US": {
    menu: "Laboratory",
    none: "No laboratory exams yet",
    add: "Add exam",
    save: "Save exam",
    incomplete: "Please fill in all fields and select a PDF file",
    onlyPdf: "Invalid file: Please select only PDF files.",
    drop: "PDF file",
    name: "Exam name",
    date: "Exam date (optional)",
    typedDate: "11/10/2026",
    modality: "Modality",
    laboratory: "Laboratory",
    density: "Bone density",
    all: "All",
    saved: "Exam saved",
    noMatch: "No exam matches the filters.",
    clear: "Clear filters",
    view: "View Hemograma completo",
    back: "Back to the list",
    download: "Download Hemograma completo",
    warning: "You have used 80% of this month's laboratory actions.",
    remove: "Delete Hemograma completo",
    question: "Confirm deletion",
    cancel: "Cancel",
    yes: "Yes, delete",
    removed: "Exam deleted",
    exams: "Laboratory exams",
    actions: "Actions this month",
  },
} satisfies Record<Locale, Record<string, string>>;

describe("laboratory exams", () => {
  let app: BrowserApp;
  beforeAll(async () => {
    app = await createBrowserApp("labs");
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  /** One action short of 80 % of the plan's 20 a month. */
  async function personBelowWarning(name: string): Promise<Person> {
    const person = await app.addPerson(name);
    await app.testApp.sql`update subscriptions set lab_downloads = 15 where user_id = ${person.id}`;
    return person;
  }

  const items = (page: Page) => page.locator(".lab-item:has(b)");
  const names = (page: Page) => items(page).locator("b").allTextContents();
  const meter = (page: Page, name: string) =>
    page.getByRole("meter", { name, exact: true }).getAttribute("aria-valuenow");

  async function choose(page: Page, place: Page | Locator, label: string, option: string): Promise<void> {
    await place.getByRole("combobox", { name: label }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  }

  for (const language of ["pt-BR", "en-US"] as const) {
    test(
      `are added, found, read, downloaded and deleted at a desk, in ${language}`,
      async () => {
        const t = texts[language];
        await app.as(await personBelowWarning("Helena Duarte"), { language }, async (page) => {
          await button(page, t.menu).click();
          await page.getByText(t.none).waitFor();
          await button(page, t.add).click();
          const dialog = page.getByRole("dialog");
          await button(dialog, t.save).click();
          await dialog.getByRole("alert").getByText(t.incomplete).waitFor();

          const zone = dialog.getByRole("region", { name: t.drop });
          await dropFile(page, zone, { name: "a.png", type: "image/png", bytes: new Uint8Array([1]) });
          await zone.getByText(t.onlyPdf).waitFor();
          await field(dialog, t.name).fill("Hemograma completo");
          await field(dialog, t.date).fill(t.typedDate);
          await choose(page, dialog, t.modality, t.laboratory);
          await dropFile(page, zone, { name: "hemograma.pdf", type: "application/pdf", bytes: pdf });
          await zone.getByText("hemograma.pdf").waitFor();
          expect(await dialog.getByRole("alert").count()).toBe(0);
          await button(dialog, t.save).click();
          await page.getByText(t.saved).first().waitFor();
          await dialog.waitFor({ state: "detached" });
          expect(await meter(page, t.exams)).toBe("1");

          await button(page, t.add).click();
          await field(dialog, t.name).fill("Densitometria óssea");
          await choose(page, dialog, t.modality, t.density);
          await dialog.locator("input[type=file]").setInputFiles(pdfFile);
          await button(dialog, t.save).click();
          await items(page).nth(1).waitFor();
          expect(await names(page)).toEqual(["Densitometria óssea", "Hemograma completo"]);
          expect(await items(page).last().textContent()).toContain(
            language === "en-US" ? "10-Nov-2026" : "10-11-2026",
          );
          expect(await items(page).last().locator("[data-mod]").textContent()).toBe("LAB");
          expect(await items(page).first().locator("[data-mod]").textContent()).toBe("DEN");

          await field(page.getByRole("search"), t.name).fill("OSSEA");
          expect(await names(page)).toEqual(["Densitometria óssea"]);
          await choose(page, page.getByRole("search"), t.modality, t.laboratory);
          await page.getByText(t.noMatch).waitFor();
          await button(page, t.clear).click();
          expect(await names(page)).toHaveLength(2);
          await choose(page, page.getByRole("search"), t.modality, t.laboratory);
          expect(await names(page)).toEqual(["Hemograma completo"]);
          await choose(page, page.getByRole("search"), t.modality, t.all);

          await button(page, t.view).click();
          await page.locator(".textLayer", { hasText: "13,4" }).waitFor();
          await button(page, t.back).click();
          await page.waitForFunction(
            (label) => document.activeElement?.getAttribute("aria-label") === label,
            t.view,
          );
          expect(await meter(page, t.actions)).toBe("15");
          expect(await page.getByText(t.warning).count()).toBe(0);

          const saving = page.waitForEvent("download");
          await button(page, t.download).click();
          const saved = await saving;
          expect(saved.suggestedFilename()).toBe("Hemograma_completo_2026-11-10.pdf");
          expect(await Bun.file(await saved.path()).bytes()).toEqual(Uint8Array.from(pdf));
          await page.getByText(t.warning).waitFor();
          expect(await meter(page, t.actions)).toBe("16");

          await button(page, t.remove).click();
          const question = page.getByRole("alertdialog", { name: t.question });
          await button(question, t.cancel).click();
          await question.waitFor({ state: "detached" });
          expect(await names(page)).toHaveLength(2);
          await button(page, t.remove).click();
          await button(question, t.yes).click();
          await page.getByText(t.removed).first().waitFor();
          await question.waitFor({ state: "detached" });
          expect(await names(page)).toEqual(["Densitometria óssea"]);
          expect(await meter(page, t.actions)).toBe("17");
          expect(await meter(page, t.exams)).toBe("1");
        });
      },
      JOB_TIMEOUT_MS,
    );
  }

  test(
    "are added, read, downloaded and deleted without a mouse",
    async () => {
      const t = texts["pt-BR"];
      await app.as(await app.addPerson("Paula Teclado"), {}, async (page) => {
        await enter(page, button(page, t.menu));
        await enter(page, button(page, t.add));
        const dialog = page.getByRole("dialog");
        await tabTo(page, field(dialog, t.name));
        await page.keyboard.type("Hemograma completo");
        await enter(page, dialog.getByRole("combobox", { name: t.modality }));
        await page.getByRole("option", { name: t.laboratory, exact: true }).waitFor();
        await page.keyboard.type("Labor");
        await page.keyboard.press("Enter");
        const picking = page.waitForEvent("filechooser");
        await enter(page, button(dialog, "Escolher PDF"));
        await (await picking).setFiles(pdfFile);
        await enter(page, button(dialog, t.save));
        await dialog.waitFor({ state: "detached" });

        await enter(page, button(page, t.view));
        await page.locator(".textLayer", { hasText: "13,4" }).waitFor();
        await enter(page, button(page, t.back));
        const saving = page.waitForEvent("download");
        await enter(page, button(page, t.download));
        expect(await Bun.file(await (await saving).path()).bytes()).toEqual(Uint8Array.from(pdf));

        await enter(page, button(page, t.remove));
        const question = page.getByRole("alertdialog");
        await page.waitForFunction(() => document.activeElement?.textContent === "Cancelar");
        await leave(page, question);
        await enter(page, button(page, t.remove));
        await enter(page, button(question, t.yes));
        await page.getByText(t.none).waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "are added, read and deleted by thumb on a phone, also on an iPhone, whose streams can't be iterated",
    async () => {
      const t = texts["pt-BR"];
      const seat: Seat = {
        device: PHONE,
        prepare: (context) =>
          context.addInitScript(() => {
            Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
          }),
      };
      await app.as(await app.addPerson("Marina Telefone"), seat, async (page) => {
        await tap(page, button(page, "Menu"));
        await tap(page, button(page.getByRole("dialog"), t.menu));
        await tap(page, button(page, t.add));
        const dialog = page.getByRole("dialog", { name: t.add });
        await tap(page, button(dialog, t.save));
        await dialog.getByText(t.incomplete).waitFor();
        await tap(page, field(dialog, t.name));
        await page.keyboard.insertText("Hemograma completo");
        await tap(page, dialog.getByRole("combobox", { name: t.modality }));
        await tap(page, page.getByRole("option", { name: t.laboratory, exact: true }));
        const picking = page.waitForEvent("filechooser");
        await tap(page, button(dialog, "Escolher PDF"));
        await (await picking).setFiles(pdfFile);
        await tap(page, button(dialog, t.save));
        await dialog.waitFor({ state: "detached" });
        expect(await names(page)).toEqual(["Hemograma completo"]);

        await tap(page, button(page, t.view));
        await page.locator(".textLayer", { hasText: "13,4" }).waitFor();
        const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(await overflow()).toBeLessThanOrEqual(0);
        await tap(page, button(page, t.back));
        await tap(page, button(page, t.remove));
        await tap(page, button(page.getByRole("alertdialog"), t.yes));
        await page.getByText(t.none).waitFor();
        expect(await overflow()).toBeLessThanOrEqual(0);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "say that the list failed to load, and at once that a session is over",
    async () => {
      const t = texts["pt-BR"];
      const person = await app.addPerson("Otávio Sessão");
      const expected = [/50[03]/, /401/];
      await app.as(person, { expected }, async (page) => {
        let asked = 0;
        await page.route("**/api/exams-lab", (route) => {
          asked += 1;
          return route.fulfill({ status: 503, body: "" });
        });
        await button(page, t.menu).click();
        await page.getByRole("heading", { name: "Erro ao carregar exames laboratoriais" }).waitFor();
        expect(asked).toBe(3);
        expect(await page.getByText(t.none).count()).toBe(0);
        await page.unroute("**/api/exams-lab");
        await app.testApp.call("POST", "/api/auth/logout", { as: person });
        // The next call ends the session: this click's, or one that the page makes by itself.
        const ended = page.getByText("Sessão expirada. Faça login novamente.");
        await button(page, "Exames").or(button(page, "Meus exames")).or(ended).first().click();
        await ended.waitFor();
        // Where the person was is all that stays: signing in again leads back there.
        const kept = await page.evaluate(() => [
          localStorage.getItem("token"),
          ...Object.keys(sessionStorage),
        ]);
        expect(kept).toEqual([null, "place-after-sign-in"]);
      });
    },
    JOB_TIMEOUT_MS,
  );
});
