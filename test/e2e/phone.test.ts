import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { zipSync } from "fflate";
import type { Locator, Page } from "playwright-core";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { violationsOn } from "../support/browser/axe.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  examsEntry,
  field,
  PHONE,
  tap,
} from "../support/browser/browser-app.ts";
import { doubleTap } from "../support/browser/touch.ts";
import { sampleZip } from "../support/zip/sample-zip.ts";

const RESULTS = join(import.meta.dir, "../../test-results");
const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;

async function centreOf(target: Locator): Promise<{ x: number; y: number }> {
  const box = await target.boundingBox();
  if (!box) throw new Error("not on the page");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Whether a finger at the target's centre would press the target. */
const isUncovered = (target: Locator) =>
  target.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });

const tabs = (page: Page) => page.getByRole("navigation", { name: "Atalhos" });

describe("on a phone of 360 pixels", () => {
  let app: BrowserApp;

  beforeAll(async () => {
    app = await createBrowserApp("phone");
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  test(
    "a double tap on Menu opens the menu and signs nobody out; Sair asks first",
    async () => {
      const person = await app.addPerson("Dora Toque");
      await app.as(person, { device: PHONE }, async (page) => {
        const { x, y } = await centreOf(button(tabs(page), "Menu"));
        const drawer = page.getByRole("dialog", { name: "Menu" });
        await page.touchscreen.tap(x, y);
        await drawer.waitFor();
        await page.touchscreen.tap(x, y);
        expect(await drawer.isVisible()).toBe(true);
        await tap(page, button(drawer, "Sair"));
        const question = page.getByRole("alertdialog", { name: "Sair da sua conta?" });
        await question.waitFor();
        await tap(page, button(question, "Continuar aqui"));
        await question.waitFor({ state: "detached" });
        await tap(page, button(drawer, "Sair"));
        await tap(page, button(question, "Sair"));
        await page.getByRole("heading", { name: "Entrar" }).waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "a long name and a long e-mail break, and widen neither the page nor a dialog",
    async () => {
      const surname = "Albuquerqueconceicaodasdoresvasconcelosmontenegrofigueiredos";
      // Their e-mail is as long.
      const person = await app.addPerson(`Dora ${surname}`, { role: "doctor" });
      const json = { name: surname, scopes: ["dicomweb:read"], expiresAt: null };
      await app.testApp.call("POST", "/api/tokens", { as: person, json });
      await app.as(person, { device: PHONE }, async (page) => {
        await page.getByText("Ainda não há exames compartilhados com você").waitFor();
        const isWider = (element: Element) => element.scrollWidth > element.clientWidth;
        expect(await page.locator("html").evaluate(isWider)).toBe(false);
        await page.evaluate(() => history.replaceState({ place: "/profile/tab/access" }, ""));
        await page.reload();
        await tap(page, button(page, `Revogar o token ${surname}`));
        const dialog = page.getByRole("alertdialog");
        await dialog.waitFor();
        expect(await dialog.evaluate(isWider)).toBe(false);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "the message of a refused login covers no control, and the focus stays in the form",
    async () => {
      const seat = { device: PHONE, expected: [/401/] };
      await app.asVisitor(seat, async (page) => {
        await field(page, "E-mail").fill("dora@example.com");
        await field(page, "Senha").fill("outra senha");
        await tap(page, button(page, "Entrar"));
        await page.locator(".toast").waitFor();
        for (const control of [field(page, "E-mail"), field(page, "Senha"), button(page, "Entrar")])
          expect(await isUncovered(control)).toBe(true);
        expect(await page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("password");
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "the API's documentation does not scroll sideways, with everything in it opened",
    () =>
      app.asVisitor({ device: PHONE }, async (page) => {
        await page.goto(`${app.origin}/api/docs`);
        await page.evaluate(() => {
          for (const details of document.querySelectorAll("details")) details.open = true;
        });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      }),
    JOB_TIMEOUT_MS,
  );

  test(
    "a tap on the film of an exam opens its images in our own viewer",
    async () => {
      const person = await app.addPerson("Nina Filme");
      await app.testApp.store(person, sampleZip({ study: "971" }));
      await app.as(person, { device: PHONE }, async (page) => {
        await tap(page, button(tabs(page), "Exames"));
        await tap(page, page.locator(".phone-study .film-opener"));
        await page.locator(".visor.is-phone").waitFor();
        await tap(page, button(page, "Voltar"));
        await page.locator(".visor").waitFor({ state: "detached" });
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "the search says whole what it looks in, and a message stands above the tabs",
    async () => {
      const person = await app.addPerson("Lia Aviso");
      await app.testApp.store(person, sampleZip({ study: "973" }));
      await app.as(person, { device: PHONE }, async (page) => {
        await tap(page, examsEntry(page));
        const search = field(page, "Buscar");
        const cut = await search.evaluate((input: HTMLInputElement) => {
          const pen = new OffscreenCanvas(1, 1).getContext("2d") as OffscreenCanvasRenderingContext2D;
          const { fontWeight, fontSize, fontFamily } = getComputedStyle(input);
          pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
          return pen.measureText(input.placeholder).width - input.clientWidth;
        });
        expect(cut).toBeLessThanOrEqual(0);
        await tap(page, button(page.locator("main"), "Compartilhar exame"));
        const dialog = page.getByRole("dialog");
        await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
        await tap(page, button(dialog, "Criar e copiar"));
        await page.locator(".toast").getByText("Link copiado").waitFor();
        const address = await dialog.locator(".copy-box .mono").textContent();
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address ?? "");
        await tap(page, button(dialog, "Pronto"));
        await tap(page, button(dialog, "Fechar"));
        await dialog.waitFor({ state: "detached" });
        const toast = await page.locator(".toast").boundingBox();
        const bar = await tabs(page).boundingBox();
        expect((toast?.y ?? 0) + (toast?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
        expect(toast?.y).toBeGreaterThan(400);
        await page.screenshot({ path: join(RESULTS, "phone-toast.png") });
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "two taps lead from the list to a QR code for the doctor, also on a tablet, and closing leads back",
    async () => {
      const person = await app.addPerson("Rita Código");
      await app.testApp.store(person, sampleZip({ study: "972" }));
      let made = 0;
      for (const viewport of [PHONE.viewport, { width: 768, height: 1024 }]) {
        await app.as(person, { device: { ...PHONE, viewport } }, async (page) => {
          await tap(page, examsEntry(page));
          const share = button(page.locator("main"), "Compartilhar exame");
          const dialog = page.getByRole("dialog");
          await tap(page, share);
          await tap(page, button(dialog, "Criar link"));
          await dialog.getByRole("img", { name: /QR/ }).waitFor();
          // The second tap falls on the form that stood below: it must not make another link.
          const done = await button(dialog, "Pronto").boundingBox();
          await doubleTap(page, { x: viewport.width / 2, y: (done?.y ?? 0) + (done?.height ?? 0) / 2 });
          await button(dialog, "Fechar").waitFor();
          await tap(page, button(dialog, "Fechar"));
          await dialog.waitFor({ state: "detached" });
          const links = await app.testApp.call("GET", "/api/links", { as: person });
          expect(await links.json()).toHaveLength(++made);
          expect(await share.evaluate((element) => element === document.activeElement)).toBe(true);
        });
      }
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "an exam is on its way after three taps, nothing of them below the fold, and goes on in any view",
    async () => {
      const person = await app.addPerson("Lara Bolso");
      const exam = [...generateStudy({ kind: "ct-head", seed: "in the hand", size: 128, instances: 24 })];
      const buffer = Buffer.from(
        zipSync(Object.fromEntries(exam.map(({ fileName, bytes }) => [fileName, bytes])), { level: 0 }),
      );
      await app.as(person, { device: PHONE }, async (page) => {
        await tap(page, button(tabs(page), "Enviar"));
        const choosing = page.waitForEvent("filechooser");
        await page.getByText("Escolha os exames").waitFor();
        await tap(page, button(page, "Escolher ZIPs"));
        const name = "tomografia_de_cranio_sem_contraste_goncalves_joao_antonio-00024.zip";
        await (await choosing).setFiles({ name, mimeType: "application/zip", buffer });
        const send = button(page, "Enviar exame");
        await send.waitFor();
        await page.getByText(/^49 imagens/).waitFor();
        expect(await page.locator(".found-exam canvas").count()).toBeGreaterThan(0);
        expect(await page.evaluate(() => [window.scrollY, document.documentElement.scrollWidth])).toEqual([
          0, 360,
        ]);
        expect(await isUncovered(send)).toBe(true);
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot({ path: join(RESULTS, "phone-contents.png") });

        const network = await page.context().newCDPSession(page);
        const limits = { offline: false, latency: 0, downloadThroughput: -1 };
        const slowly = { ...limits, uploadThroughput: buffer.length / 60 };
        await network.send("Network.emulateNetworkConditions", slowly);
        await tap(page, send);
        const progress = button(page, /^Enviando… \d+%$/);
        await progress.waitFor();
        expect((await progress.boundingBox())?.y).toBeLessThan(716);
        await page.screenshot({ path: join(RESULTS, "phone-sending.png") });

        await tap(page, button(tabs(page), "Início"));
        const strip = page.locator(".tray-strip");
        await strip.waitFor();
        await page.emulateMedia({ media: "print" });
        expect(await strip.isVisible()).toBe(false);
        await page.emulateMedia({ media: null });
        expect(await violationsOn(page)).toEqual([]);
        await tap(page, strip);
        const sheet = page.getByRole("dialog", { name: "Envios" });
        await sheet.getByText(name).waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot({ path: join(RESULTS, "phone-tray.png") });
        await page.goBack();
        await sheet.waitFor({ state: "detached" });
        await network.send("Network.emulateNetworkConditions", { ...limits, uploadThroughput: -1 });
        await strip.getByText("1 exame guardado").waitFor();
        await tap(page, strip);
        await tap(page, button(sheet, /^Abrir ./));
        await page.locator("main:not([data-view=welcome])").waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );
});
