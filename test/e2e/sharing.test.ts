import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { writeReportPdf } from "../../scripts/demo/pdf.ts";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import type { Person } from "../support/app/test-app.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  enter,
  examsEntry,
  field,
  PHONE,
  tabTo,
  tap,
} from "../support/browser/browser-app.ts";
import { formBody } from "../support/pdf/sample-pdf.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
const VIEWER_TIMEOUT_MS = 100_000;
/** What a viewer that asks for nothing more waits before it finds its access gone, and some. */
const CHECK_TIMEOUT_MS = 40_000;

/** A 404 answers a person without a plan, and one who opens a study that is no longer shared. */
const NO_PLAN = [/404/];
/** Of each study here. */
const IMAGES = 3;

describe("a study", () => {
  let app: BrowserApp;
  let people = 0;
  beforeAll(async () => {
    app = await createBrowserApp("sharing");
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  async function ownerOfAStudy(name: string): Promise<{ owner: Person; studyId: string }> {
    const owner = await app.addPerson(name);
    people += 1;
    const instances = generateStudy({ kind: "ct-head", seed: people, size: 64, instances: IMAGES });
    const stored = await app.testApp.store(owner, await zipStudyBytes({ instances, folder: "DICOM" }));
    return { owner, studyId: stored.studies[0]?.id ?? "" };
  }
  const doctorNamed = (name: string) => app.addPerson(name, { role: "doctor", plan: null });

  async function openList(page: Page): Promise<void> {
    await examsEntry(page).click();
    await page.locator("main[data-view=listaExames] h1").waitFor();
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  }
  const rows = (page: Page) =>
    page.locator("table[aria-busy=false] tr.study-row, .phone-studies:not([aria-busy]) > .phone-study");

  /** The viewer's frame, once it has drawn an image. */
  async function imagesOf(page: Page) {
    const frame = await (await page.locator("iframe").elementHandle())?.contentFrame();
    if (!frame) throw new Error("no viewer");
    await frame.locator("canvas.cornerstone-canvas").first().waitFor({ timeout: VIEWER_TIMEOUT_MS });
    return frame;
  }

  const shareDialog = (page: Page) => page.getByRole("dialog", { name: "Compartilhar exame" });
  const peopleTab = (dialog: Locator) =>
    dialog.getByRole("tab", { name: /Com um médico que tem conta|With a doctor who has an account/ });
  const entry = (dialog: Locator, list: ".share-list" | ".share-audit", text: string) =>
    dialog.locator(`${list} li`, { hasText: text });

  test(
    "is shared with a doctor, who views it in their own session until the access is removed",
    async () => {
      const { owner } = await ownerOfAStudy("Helena Duarte");
      const doctor = await doctorNamed("André Passos");
      // The viewer notes each image that it was refused.
      const expected = [...NO_PLAN, /XMLHttpRequest/];
      await app.as(owner, {}, async (page) => {
        await openList(page);
        await button(rows(page), "Compartilhar exame").click();
        const dialog = shareDialog(page);
        await peopleTab(dialog).click();
        await dialog.getByText("Ninguém além de você.").waitFor();
        await field(dialog, "E-mail do médico").fill(doctor.email.toUpperCase());
        await button(dialog, "Dar acesso").click();
        await page.getByText("André Passos já pode ver este exame.").first().waitFor();
        await entry(dialog, ".share-list", doctor.email).waitFor();

        await app.as(doctor, { expected }, async (doctorPage) => {
          await openList(doctorPage);
          await rows(doctorPage).getByText("Compartilhado por Helena Duarte").waitFor();
          expect(await doctorPage.getByRole("columnheader", { name: "Ações" }).count()).toBe(0);
          const takenAway = Promise.withResolvers<void>();
          let first: string | undefined;
          await doctorPage.route(/\/frames\//, async (route) => {
            first ??= route.request().url();
            if (route.request().url() !== first) await takenAway.promise;
            await route.continue();
          });
          await button(rows(doctorPage), "Abrir").click();
          const frame = await imagesOf(doctorPage);

          await button(dialog, "Fechar").click();
          await button(rows(page), "Compartilhar exame").click();
          await peopleTab(dialog).click();
          const looked = entry(dialog, ".share-audit", "abriu as imagens");
          await looked.waitFor();
          expect(await looked.textContent()).toMatch(
            /^\d\d-\d\d-\d{4} \d\d:\d\dAndré Passos abriu as imagens/,
          );
          await button(dialog, "Retirar o acesso de André Passos").click();
          await dialog.getByText("Ninguém além de você.").waitFor();

          // What the open page asks for next is refused, and it covers its images.
          const refused = doctorPage.waitForResponse(
            (response) => response.url().includes("/frames/") && response.status() === 404,
          );
          takenAway.resolve();
          await refused;
          await frame.locator("#access-ended").waitFor();
          // Without asking, it ends too: the person is back in the list, which has nothing.
          await doctorPage.getByText("Acesso encerrado").first().waitFor({ timeout: CHECK_TIMEOUT_MS });
          await doctorPage.locator("iframe").waitFor({ state: "detached" });
          await doctorPage.getByText("Nenhum exame por aqui ainda").waitFor();
          await entry(dialog, ".share-audit", "retirou o acesso").waitFor();
        });
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "leaves our own viewer when its access is removed, although all its images are there",
    async () => {
      const { owner, studyId } = await ownerOfAStudy("Ivo Dono");
      const doctor = await doctorNamed("Nair Visor");
      const call = app.testApp.call;
      await call("POST", `/api/studies/${studyId}/assign`, { as: owner, json: { userId: doctor.id } });
      await app.as(doctor, { expected: NO_PLAN }, async (page) => {
        await page.evaluate(() => localStorage.setItem("viewer", "visor"));
        await page.reload();
        await openList(page);
        await button(rows(page), "Abrir").click();
        await page.getByRole("dialog").locator("canvas").first().waitFor();
        // An image that is still under way when the access ends closes the viewer too, in other words.
        await page.waitForFunction((images) => {
          const fetched = performance.getEntriesByType("resource");
          // The first image has an address of its own.
          return fetched.filter(({ name }) => /\/frames?(\/|$)/.test(name)).length >= images;
        }, IMAGES);
        const answer = await call("DELETE", `/api/studies/${studyId}/grants/${doctor.id}`, { as: owner });
        expect(answer.status).toBe(204);
        await page.getByText("Acesso encerrado").first().waitFor({ timeout: CHECK_TIMEOUT_MS });
        await page.getByRole("dialog").waitFor({ state: "detached" });
        await page.getByText("Nenhum exame por aqui ainda").waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  for (const [language, open, label, give, text] of [
    [
      "pt-BR",
      "Compartilhar exame",
      "E-mail do médico",
      "Dar acesso",
      /^Não encontramos um médico com este e-mail/,
    ],
    ["en-US", "Share exam", "Doctor's e-mail", "Give access", /^We found no doctor with this e-mail/],
  ] as const) {
    test(
      `is refused with the same words for any address that is not a doctor's, in ${language}`,
      async () => {
        const { owner } = await ownerOfAStudy("Caio Curioso");
        const patient = await app.addPerson("Vizinha Discreta");
        const blocked = await doctorNamed("Doutora Bloqueada");
        await app.testApp.sql`update users set is_authorized = false where id = ${blocked.id}`;
        await app.as(owner, { language, expected: [/404/] }, async (page) => {
          await examsEntry(page).click();
          await button(rows(page), open).click();
          const dialog = page.getByRole("dialog", { name: open });
          await peopleTab(dialog).click();
          const told: (string | null)[] = [];
          for (const email of ["ninguem@exemplo.com.br", patient.email, blocked.email]) {
            await field(dialog, label).fill(email);
            await button(dialog, give).click();
            await dialog.getByText(text).waitFor();
            told.push(await dialog.getByText(text).textContent());
            expect(await field(dialog, label).getAttribute("aria-invalid")).toBe("true");
          }
          expect(new Set(told).size).toBe(1);
          expect(await dialog.locator(".share-list li").count()).toBe(0);
        });
      },
      JOB_TIMEOUT_MS,
    );
  }

  test(
    "is shared and unshared without a mouse",
    async () => {
      const { owner } = await ownerOfAStudy("Paula Teclado");
      const doctor = await doctorNamed("Doutora Tecla");
      await app.as(owner, {}, async (page) => {
        await enter(page, examsEntry(page));
        await enter(page, button(rows(page), "Compartilhar exame"));
        const dialog = shareDialog(page);
        await tabTo(page, dialog.getByRole("tab", { name: "Por link ou QR Code" }));
        await page.keyboard.press("ArrowRight");
        await tabTo(page, field(dialog, "E-mail do médico"));
        await page.keyboard.type(doctor.email);
        await page.keyboard.press("Enter");
        await enter(page, button(dialog, "Retirar o acesso de Doutora Tecla"));
        await dialog.getByText("Ninguém além de você.").waitFor();
        // The notification goes first, then the dialog.
        await page.keyboard.press("Escape");
        await page.locator(".toast").waitFor({ state: "detached" });
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        await page.waitForFunction(() =>
          document.activeElement?.getAttribute("aria-label")?.startsWith("Compartilhar exame: "),
        );
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is shared by touch, and a doctor's phone shows whose it is",
    async () => {
      const { owner } = await ownerOfAStudy("Marina Telefone");
      const doctor = await doctorNamed("Doutor Bolso");
      await app.as(owner, { device: PHONE }, async (page) => {
        await tap(page, examsEntry(page));
        await tap(page, rows(page).locator("button.phone-study-toggle"));
        await tap(page, button(page, "Compartilhar exame"));
        const dialog = shareDialog(page);
        // Both are in sight, wherever what is between them is scrolled to.
        const ends = [button(dialog, "Fechar"), button(dialog, "Criar link")];
        for (const place of [field(dialog, "Para quem"), dialog.getByRole("switch").last()]) {
          await place.scrollIntoViewIfNeeded();
          for (const end of ends) await end.click({ trial: true });
        }
        await tap(page, peopleTab(dialog));
        await tap(page, field(dialog, "E-mail do médico"));
        await page.keyboard.insertText(doctor.email);
        await tap(page, button(dialog, "Dar acesso"));
        await entry(dialog, ".share-list", doctor.email).waitFor();
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
      });
      await app.as(doctor, { device: PHONE, expected: NO_PLAN }, async (page) => {
        await tap(page, examsEntry(page));
        await rows(page).getByText("Compartilhado por Marina Telefone").waitFor();
        await tap(page, rows(page).locator("button.phone-study-toggle"));
        await page.locator(".series-card").first().waitFor();
        expect(await button(page, "Mais ações").count()).toBe(0);
        await tap(page, button(rows(page), "Abrir"));
        await page.locator(".visor canvas[data-slice]").waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is assigned by an admin to a person they find by name or e-mail, by mouse and by keyboard",
    async () => {
      const { owner, studyId } = await ownerOfAStudy("Dona Rosa");
      const admin = await app.addPerson("Beatriz", { role: "admin" });
      const doctor = await doctorNamed("Lívia Sá");
      const sister = await app.addPerson("Lígia Sá");
      await app.as(admin, {}, async (page) => {
        await openList(page);
        const row = page.locator(`[data-study="${studyId}"]`);
        await button(row, "Compartilhar exame").click();
        const dialog = shareDialog(page);
        await peopleTab(dialog).click();
        const search = dialog.getByRole("combobox", { name: "Usuário" });
        await search.fill("SA");
        const options = page.getByRole("listbox").getByRole("option");
        await options.filter({ hasText: doctor.email }).click();
        expect(await search.inputValue()).toBe(doctor.email);
        await button(dialog, "Dar acesso").click();
        await entry(dialog, ".share-list", "Lívia Sá").waitFor();

        await search.press("Home");
        await page.keyboard.type("li");
        await options.filter({ hasText: sister.email }).waitFor();
        expect(await options.filter({ hasText: doctor.email }).count()).toBe(0);
        await page.keyboard.press("Escape");
        await page.getByRole("listbox").waitFor({ state: "detached" });
        expect(await dialog.count()).toBe(1);
        await page.keyboard.type("gia");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        expect(await search.inputValue()).toBe(sister.email);
        await page.keyboard.press("Enter");
        await entry(dialog, ".share-list", "Lígia Sá").waitFor();
        await search.fill("ninguém assim");
        await page.getByText("Nenhuma conta corresponde.").waitFor();
      });
      const grants = await app.testApp.call("GET", `/api/studies/${studyId}/grants`, { as: owner });
      expect(await grants.json()).toHaveLength(2);
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "that was assigned offers only what is allowed: no sharing, no deletion but of one's own report",
    async () => {
      const { owner, studyId } = await ownerOfAStudy("Dona da Casa");
      const sister = await app.addPerson("Irmã Atenta");
      const grant = { as: owner, json: { userId: sister.id } };
      await app.testApp.call("POST", `/api/studies/${studyId}/assign`, grant);
      const pdf = writeReportPdf({
        patient: { name: "Dona da Casa", birthDate: "22/03/1968" },
        title: "Tomografia",
        paragraphs: ["Sem alterações."],
        signature: "Dra. Lívia Sá",
      });
      const form = await formBody({ studyInstanceUID: studyId }, { name: "laudo", bytes: pdf });
      const attach = (as: Person) =>
        app.testApp.call("POST", "/api/studies/laudo/upload", { as, body: form.body, headers: form.headers });
      await attach(owner);
      const seeReport = async (page: Page) => {
        await button(page, /^Ver laudo: /).click();
        await page.locator(".textLayer", { hasText: "Sem alterações" }).waitFor();
      };
      await app.as(sister, {}, async (page) => {
        await openList(page);
        await rows(page).getByText("Compartilhado por Dona da Casa").waitFor();
        expect(await button(rows(page), "Baixar exame").count()).toBe(1);
        expect(await button(rows(page), "Compartilhar exame").count()).toBe(0);
        expect(await button(rows(page), "Excluir exame").count()).toBe(0);
        await seeReport(page);
        expect(await button(page, "Excluir laudo").count()).toBe(0);
        await button(page, "Voltar para a lista").click();

        await app.testApp.call("DELETE", `/api/studies/laudo/${studyId}`, { as: owner });
        await attach(sister);
        await button(page, "Atualizar").click();
        await page.locator(".is-fetching").waitFor({ state: "detached" });
        await seeReport(page);
        await button(page, "Excluir laudo").click();
        await button(page.getByRole("alertdialog"), "Sim, excluir").click();
        await page.getByText("O laudo foi excluído com sucesso").first().waitFor();
        await button(page, /^Anexar laudo: /).waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );
});
