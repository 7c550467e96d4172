import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { createTestApp, type Person, type TestApp } from "../support/app/test-app.ts";
import { colourViolationsOn, violationsOn } from "../support/browser/axe.ts";
import { launchBrowser } from "../support/browser/browser.ts";
import { WITHOUT_OPTIMIZING, WITHOUT_WORKER } from "../support/browser/browser-app.ts";
import { visit } from "../support/browser/watched-page.ts";
import { sampleZip } from "../support/zip/sample-zip.ts";

const JOB_TIMEOUT_MS = 240_000;

let t: TestApp;
let browser: Browser;
let origin: string;
let person: Person;
let admin: Person;
let studyId: string;

beforeAll(async () => {
  t = await createTestApp();
  origin = await t.listen();
  browser = await launchBrowser(WITHOUT_OPTIMIZING);
  person = await t.addPerson("Helena Duarte");
  admin = await t.addPerson("Beatriz Admin", { role: "admin" });
  for (const as of [person, admin]) await t.call("POST", "/api/users/accept-terms", { as });
  const stored = await t.store(person, sampleZip({ study: "1" }, { study: "1", series: "2" }));
  studyId = stored.studies[0]?.id ?? "";
  await addFailedJob();
}, JOB_TIMEOUT_MS);
afterAll(async () => {
  await browser?.close();
  await t?.[Symbol.asyncDispose]();
});

/** What an admin's home page shows when not all is well. */
async function addFailedJob(): Promise<void> {
  await t.sql`insert into pgboss.job (name, data, source_name) values ('dead-letters', '{}', 'transfer')`;
}

async function openPage(as?: Person): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({
    ...WITHOUT_WORKER,
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
    locale: "pt-BR",
  });
  const page = await context.newPage();
  await visit(page, origin);
  if (as) {
    await page.getByLabel("E-mail", { exact: true }).fill(as.email);
    await page.getByLabel("Senha", { exact: true }).fill(as.password);
    await page.getByRole("button", { name: "Entrar", exact: true }).click();
    await page.locator("main[data-view=welcome]").waitFor();
  }
  return { page, context };
}

const byName = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true }).filter({ visible: true });

test(
  "nothing that opens over the list has a violation, and at 200 % zoom a dialog has the whole width",
  async () => {
    const { page, context } = await openPage(person);
    await page
      .locator("nav")
      .getByRole("button", { name: /^Meus exames/ })
      .click();
    const found: Record<string, string[]> = {};
    const look = async (state: string) => {
      found[state] = await violationsOn(page);
    };
    const dialog = page.locator("[role=dialog], [role=alertdialog]");
    await byName(page, "Selecionar exames").click();
    await page.locator("tbody .checkbox").first().check();
    await look("selection");
    const bar = page.getByRole("region", { name: "Exames selecionados" });
    for (const action of ["Baixar", "Compartilhar", "Excluir"]) {
      await bar.getByRole("button", { name: action, exact: true }).click();
      await dialog.waitFor();
      await look(`selection: ${action}`);
      if (action === "Excluir") {
        await page.setViewportSize({ width: 640, height: 400 });
        const box = await dialog.boundingBox();
        expect([box?.x, box?.width]).toEqual([12, 616]);
        await page.setViewportSize({ width: 1280, height: 900 });
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    await bar.getByRole("button", { name: "Concluir" }).click();
    await byName(page, /^Compartilhar exame: /)
      .first()
      .click();
    await dialog.waitFor();
    await look("share by link");
    await page.getByRole("tab").nth(1).click();
    await look("share with a doctor");
    await page.getByRole("tab").first().click();
    await dialog.locator("button.is-lit").first().click();
    await page.getByRole("dialog", { name: "Link pronto" }).waitFor();
    await look("link ready");
    await byName(page, "Pronto").click();
    await page.keyboard.press("Escape");
    await byName(page, "Avisos").click();
    await page.getByRole("dialog", { name: "Avisos" }).waitFor();
    await look("notifications");
    expect(Object.entries(found).filter(([, violations]) => violations.length > 0)).toEqual([]);
    expect(Object.keys(found)).toHaveLength(8);
    await context.close();
  },
  JOB_TIMEOUT_MS,
);

/** In the page: how many pixels of the focus ring a scrolling or clipping parent cuts, or lay over the element itself. */
function lostRing(): number {
  const { activeElement: element } = document;
  if (!(element instanceof HTMLElement)) return -1;
  const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(element);
  const [width, offset] = [Number.parseFloat(outlineWidth), Number.parseFloat(outlineOffset)];
  if (outlineStyle === "none") return -1;
  if (offset < 0) return width;
  const box = element.getBoundingClientRect();
  const reach = width + offset;
  let lost = 0;
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (getComputedStyle(parent).overflowX === "visible") continue;
    const edge = parent.getBoundingClientRect();
    lost = Math.max(lost, edge.left - box.left + reach, edge.top - box.top + reach);
    lost = Math.max(lost, box.bottom + reach - edge.bottom);
  }
  return lost;
}

test(
  "the ring around the first film of an open exam and around an admin's tab is whole, and covers no letter",
  async () => {
    for (const viewport of [
      { width: 1280, height: 900 },
      { width: 360, height: 780 },
    ]) {
      const { page, context } = await openPage(person);
      await page.setViewportSize(viewport);
      await page
        .getByRole("navigation")
        .getByRole("button", { name: /^(Meus exames|Exames)/ })
        .first()
        .click();
      await page.locator(":is(tbody, .phone-studies) button[aria-expanded=false]").first().click();
      const films = page.getByRole("list", { name: "Séries" });
      await films.focus();
      await page.keyboard.press("Tab");
      expect(await page.evaluate(lostRing)).toBe(0);
      await context.close();
    }
    const { page, context } = await openPage(admin);
    for (const view of ["Assinaturas", "Integridade"]) {
      await page.locator("nav").getByRole("button", { name: view, exact: true }).click();
      await page.locator("main h1", { hasText: view }).waitFor();
      await page.getByRole("tab").first().focus();
      await page.keyboard.press("ArrowRight");
      expect(await page.evaluate(lostRing)).toBe(0);
    }
    await context.close();
  },
  JOB_TIMEOUT_MS,
);

test(
  "at 200 % zoom the terms can be read, and nothing lies over them",
  async () => {
    const { page, context } = await openPage(await t.addPerson("Iara Zoom"));
    await page.setViewportSize({ width: 640, height: 400 });
    const text = page.locator(".terms-text");
    await text.locator("li").first().waitFor();
    const box = await text.boundingBox();
    const agreed = await page.getByRole("dialog").getByRole("checkbox").boundingBox();
    expect(box?.height).toBeGreaterThan(180);
    expect(agreed?.y).toBeGreaterThan((box?.y ?? 0) + (box?.height ?? 0));
    await context.close();
  },
  JOB_TIMEOUT_MS,
);

/** Each at a size of its own; the theme of the second is light. */
const GUESTS = [
  { role: "doctor", viewport: { width: 360, height: 780 }, theme: "dark" },
  { role: "lab", viewport: { width: 768, height: 1024 }, theme: "light" },
] as const;

for (const { role, viewport, theme } of GUESTS)
  test(
    `the home, list and ways in of a ${role} have no violation`,
    async () => {
      const guest = await t.addPerson(`Convidado ${role}`, { role, plan: null });
      await t.call("POST", "/api/users/accept-terms", { as: guest });
      if (role === "doctor")
        await t.call("POST", `/api/studies/${studyId}/share`, { as: person, json: { email: guest.email } });
      const context = await browser.newContext({
        ...{ ...WITHOUT_WORKER, viewport, reducedMotion: "reduce", locale: "pt-BR" },
      });
      await context.addInitScript((kept) => Object.assign(localStorage, kept), { token: guest.token, theme });
      const page = await context.newPage();
      await visit(page, `${origin}/his`);
      const found: Record<string, string[]> = {};
      for (const place of ["/welcome", "/listaExames", "/profile/tab/access"]) {
        await page.evaluate((here) => history.replaceState({ place: here }, ""), place);
        await page.reload();
        await page.locator(`main[data-view=${place.split("/")[1]}] h1`).waitFor();
        await page.waitForFunction(() => document.querySelector("main [aria-busy=true]") === null);
        found[place] = await violationsOn(page);
      }
      expect(found).toEqual({ "/welcome": [], "/listaExames": [], "/profile/tab/access": [] });
      await context.close();
    },
    JOB_TIMEOUT_MS,
  );

const THEMES = ["dark", "light"] as const;

/** Violations by theme and place. */
type Found = Record<(typeof THEMES)[number], Record<string, string[]>>;

/**
 * A page costs more than a look at it, so each is looked at in both themes: as a whole in the first, for its colours in the second.
 * The next one starts in the theme of the last look, so that each theme has pages that are checked as a whole.
 */
async function lookInBothThemes(page: Page, place: string, found: Found): Promise<void> {
  const look = async (check: typeof violationsOn) => {
    const theme = await page.evaluate(() => document.documentElement.dataset.theme);
    found[theme === "light" ? "light" : "dark"][place] = await check(page);
  };
  await look(violationsOn);
  await page.evaluate(() => {
    const { dataset } = document.documentElement;
    dataset.theme = dataset.theme === "light" ? "dark" : "light";
    localStorage.setItem("theme", dataset.theme);
  });
  await look(colourViolationsOn);
}

async function lookAtEntry(): Promise<Found> {
  const found: Found = { dark: {}, light: {} };
  const { page, context } = await openPage();
  await lookInBothThemes(page, "log in", found);
  await page
    .getByRole("button", { name: "Criar conta" })
    .or(page.getByRole("link", { name: "Criar conta" }))
    .click();
  await page.getByLabel("CPF ou CNPJ").waitFor();
  await lookInBothThemes(page, "register", found);
  for (const path of ["reset-password/token", "stop-email-change/token", "ajuda", "verificar", "v/none"]) {
    await visit(page, `${origin}/${path}`);
    await lookInBothThemes(page, path, found);
  }
  await page.goto(`${origin}/nothing-here`);
  expect(await page.getByRole("heading").first().textContent()).toContain("404 Page Not Found");
  await lookInBothThemes(page, "not found", found);
  await context.close();
  return found;
}

async function lookAtViews(): Promise<Found> {
  const found: Found = { dark: {}, light: {} };
  for (const as of [person, admin]) {
    const { page, context } = await openPage(as);
    const views = await page.locator("nav button:visible").allTextContents();
    expect(views.length).toBeGreaterThan(3);
    for (let i = 0; i < views.length; i++) {
      await page.locator("nav button:visible").nth(i).click();
      await page.waitForFunction(() => document.querySelector("main [aria-busy=true]") === null);
      await page.waitForLoadState("networkidle");
      await lookInBothThemes(page, `${as.email}, ${i}: ${views[i]}`, found);
    }
    await context.close();
  }
  return found;
}

const onceFound = (look: () => Promise<Found>) => {
  let found: Promise<Found> | undefined;
  return () => (found ??= look());
};
const entry = onceFound(lookAtEntry);
const views = onceFound(lookAtViews);

for (const theme of THEMES) {
  describe(`in the ${theme} theme`, () => {
    test(
      "the entry forms and the not-found page have no violation",
      async () => {
        const places = Object.entries((await entry())[theme]);
        expect(places.filter(([, violations]) => violations.length > 0)).toEqual([]);
        expect(places).toHaveLength(8);
      },
      JOB_TIMEOUT_MS,
    );

    test(
      "no view of a person or an admin has a violation",
      async () => {
        const places = Object.entries((await views())[theme]);
        expect(places.filter(([, violations]) => violations.length > 0)).toEqual([]);
        expect(places.length).toBeGreaterThan(7);
      },
      JOB_TIMEOUT_MS,
    );
  });
}
