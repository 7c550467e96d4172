import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { violationsOn } from "../support/browser/axe.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  field,
  PHONE,
  tap,
} from "../support/browser/browser-app.ts";
import { sampleZip } from "../support/zip/sample-zip.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;

const film = (page: Page) => page.locator(".visor canvas[data-slice]");
const shownSlice = (page: Page) => film(page).getAttribute("data-slice");

/** The shade of the middle of the film, where the head is. */
const middleOf = (page: Page) =>
  film(page).evaluate((canvas: HTMLCanvasElement) => {
    const dot = document.createElement("canvas");
    dot.width = dot.height = 1;
    const context = dot.getContext("2d");
    context?.drawImage(canvas, canvas.width / 2, canvas.height / 2, 40, 40, 0, 0, 1, 1);
    return context?.getImageData(0, 0, 1, 1).data[0] ?? 0;
  });

describe("on a first visit", () => {
  let app: BrowserApp;

  beforeAll(async () => {
    app = await createBrowserApp("first-visit");
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  test(
    "a page whose program does not come says so in its own text",
    async () => {
      await using context = await app.browser.newContext({ locale: "pt-BR" });
      await context.route(/\.js$/, (route) => route.fulfill({ status: 404 }));
      const page = await context.newPage();
      await page.goto(app.origin);
      const said = page.locator(".island-failed");
      await said.waitFor();
      expect(await said.textContent()).toContain("recarregue");
      expect(await page.locator(".auth-shape").first().isVisible()).toBe(false);
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "the sample exam opens from the empty home, asks no server for it, goes on offline, and Back closes it",
    async () => {
      const person = await app.addPerson("Nova Visita");
      await app.as(person, { device: PHONE }, async (page) => {
        const open = button(page, "Abrir o exame de exemplo");
        await open.waitFor();
        const calls: string[] = [];
        page.on("request", (request) => {
          // What the home behind it refreshes is about the account, not about the sample.
          const { pathname } = new URL(request.url());
          if (/dicomweb|token|thumbnail|api\/studies|viewer/.test(pathname)) calls.push(pathname);
        });
        await tap(page, open);
        await film(page).waitFor();
        await page.waitForFunction(() => document.querySelector(".visor-preview") === null);
        expect(await middleOf(page)).toBeGreaterThan(40);
        expect(await page.locator(".visor").textContent()).toContain("TC de crânio (exemplo)");
        expect(await violationsOn(page)).toEqual([]);
        await page.context().setOffline(true);
        const before = await shownSlice(page);
        await page.keyboard.press("PageDown");
        await page.locator(`.visor canvas:not([data-slice="${before}"])`).waitFor();
        await page.context().setOffline(false);
        expect(calls).toEqual([]);
        await page.goBack();
        await page.locator(".visor").waitFor({ state: "detached" });
        await open.waitFor();
        expect(await app.testApp.sql`select 1 from studies`).toHaveLength(0);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "help stands on a page of its own in both languages, with the sample exam, and in the menu of the archive",
    async () => {
      await app.asVisitor({ device: PHONE }, async (page) => {
        await tap(page, page.getByRole("link", { name: "Ajuda" }));
        await page.getByRole("heading", { name: "O que é um ZIP DICOM?" }).waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await button(page, "EN").tap();
        await page.getByRole("heading", { name: "What is a DICOM ZIP?" }).waitFor();
        expect(await page.title()).toBe("Help · Exameteca");
        await tap(page, button(page, "Open the sample exam"));
        await film(page).waitFor();
        await page.goBack();
        await page.locator(".visor").waitFor({ state: "detached" });
        await page.getByRole("heading", { name: "From the clinic or hospital" }).waitFor();
      });
      const person = await app.addPerson("Rui Perdido");
      await app.as(person, { device: PHONE }, async (page) => {
        const tabs = page.getByRole("navigation", { name: "Atalhos" });
        await tap(page, button(tabs, "Enviar"));
        await tap(page, button(page, "Ainda não tem o ZIP? Veja como conseguir"));
        await page.getByRole("heading", { name: "Ajuda", level: 1 }).waitFor();
        await tap(page, button(tabs, "Menu"));
        expect(
          await button(page.getByRole("dialog", { name: "Menu" }), "Ajuda").getAttribute("aria-current"),
        ).toBe("page");
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "what an empty view says stands in the middle, under its title",
    async () => {
      const doctor = await app.addPerson("Dra. Nova Chegada", { role: "doctor" });
      await app.as(doctor, {}, async (page) => {
        await page.locator(".empty p").waitFor();
        const middles = await page.locator(".empty h2, .empty p").evaluateAll((elements) =>
          elements.map((element) => {
            const { left, right } = element.getBoundingClientRect();
            return Math.round((left + right) / 2);
          }),
        );
        expect(middles).toHaveLength(2);
        expect(middles[1]).toBe(middles[0]);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "a row of the home keeps its words beside its button",
    async () => {
      const person = await app.addPerson("Lia Elos");
      const { studies } = await app.testApp.store(person, sampleZip({ study: "982" }));
      const link = { studyIds: studies.map(({ id }) => id), recipient: "Dr. Paulo, ortopedista" };
      expect((await app.testApp.call("POST", "/api/links", { as: person, json: link })).status).toBe(201);
      await app.as(person, { device: PHONE }, async (page) => {
        const row = page.getByRole("region", { name: "Links ativos" }).locator(".home-row");
        await row.waitFor();
        expect((await row.locator(".home-row-text").boundingBox())?.width).toBeGreaterThan(180);
        expect((await row.boundingBox())?.height).toBeLessThan(100);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "an image is two taps away from the filled login form",
    async () => {
      const person = await app.addPerson("Duda Dois");
      await app.testApp.call("POST", "/api/users/accept-terms", { as: person });
      await app.testApp.store(person, sampleZip({ study: "981" }));
      const prepare = (context: BrowserContext) =>
        context.addInitScript(() => {
          if (location.protocol.startsWith("http")) localStorage.setItem("viewer", "visor");
        });
      await app.asVisitor({ device: PHONE, prepare }, async (page) => {
        await field(page, "E-mail").fill(person.email);
        await field(page, "Senha").fill(person.password);
        await tap(page, button(page, "Entrar"));
        await tap(page, page.locator(".film-card button").first());
        await film(page).waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "a person whose iPhone ends at iOS 16 sends an exam and sees it",
    async () => {
      const person = await app.addPerson("Sônia Dezesseis");
      // What Safari has since 17.4.
      const prepare = (context: BrowserContext) =>
        context.addInitScript(() => {
          Reflect.deleteProperty(Promise, "withResolvers");
          Reflect.deleteProperty(AbortSignal, "any");
        });
      await app.as(person, { device: PHONE, prepare }, async (page) => {
        await tap(page, button(page, "Enviar"));
        const buffer = Buffer.from(sampleZip({ study: "983" }));
        const zip = { name: "exame.zip", mimeType: "application/zip", buffer };
        await page.locator("input[type=file]").first().setInputFiles(zip);
        await tap(page, button(page, "Enviar exame"));
        await page.getByText("1 exame guardado").first().waitFor();
        await tap(page, button(page, "Início"));
        await tap(page, page.locator(".film-card button").first());
        await film(page).waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "a person whose browser keeps nothing of any page logs in and sees their exams",
    async () => {
      const person = await app.addPerson("Nina Nada");
      await app.testApp.call("POST", "/api/users/accept-terms", { as: person });
      await app.testApp.store(person, sampleZip({ study: "982" }));
      // Firefox refuses all three when cookies are blocked, Chromium the first two.
      const prepare = (context: BrowserContext) =>
        context.addInitScript(() => {
          const refuse = () => {
            throw new DOMException("The operation is insecure.", "SecurityError");
          };
          for (const name of ["localStorage", "sessionStorage"])
            Object.defineProperty(window, name, { get: refuse });
          window.BroadcastChannel = new Proxy(BroadcastChannel, { construct: refuse });
        });
      await app.asVisitor({ device: PHONE, prepare }, async (page) => {
        await field(page, "E-mail").fill(person.email);
        await field(page, "Senha").fill(person.password);
        await tap(page, button(page, "Entrar"));
        await page.locator(".film-card button").first().waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );
});
