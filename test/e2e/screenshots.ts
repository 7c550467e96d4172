import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { locales } from "../../src/shared/locale.ts";
import { launchBrowser } from "../support/browser.ts";
import { addDemoPeople, type DemoPeople } from "../support/demo-people.ts";
import { type Texts, texts } from "../support/screen-texts.ts";
import { createTestApp, type Person } from "../support/test-app.ts";
import { lookAtImage } from "../support/viewer-canvas.ts";
import { visit } from "../support/watched-page.ts";

/**
 * Takes each view in both themes, both languages and three widths, and a sheet of each view:
 * `bun test/e2e/screenshots.ts OUT_DIR [view…]`.
 */
const [outDir, ...chosen] = process.argv.slice(2);
if (!outDir) throw new Error("usage: bun test/e2e/screenshots.ts OUT_DIR [view…]");
const out = resolve(outDir);

const THEMES = ["dark", "light"] as const;
const SIZES = [
  { width: 360, height: 780 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];
/** Of the pictures on a sheet. */
const SHEET_SCALE = 0.5;

interface View {
  who?: keyof DemoPeople;
  path?: string;
  /** From the page as it was loaded to what is to be seen. */
  show?: (page: Page, t: Texts) => Promise<unknown>;
}

const isPhone = (page: Page) => (page.viewportSize()?.width ?? 0) < 640;
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function openList(page: Page, t: Texts): Promise<void> {
  await page.getByRole("main").getByRole("button", { name: t.seeExams }).click();
  await page.locator("main[data-view=listaExames]").waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
}

async function openFilters(page: Page, t: Texts): Promise<void> {
  await openList(page, t);
  await page.locator(".filter-more, .filter-open").click();
  await page.locator(".filter-fields").waitFor();
}

async function expandFirst(page: Page, t: Texts): Promise<void> {
  await openList(page, t);
  await page.locator(".expander, .phone-study-toggle").first().click();
  await page.locator(".series-card").first().waitFor();
}

async function askDeletion(page: Page, t: Texts): Promise<void> {
  if (isPhone(page)) {
    await expandFirst(page, t);
    await button(page, t.more).click();
    await page.getByRole("menuitem", { name: t.remove }).click();
  } else {
    await openList(page, t);
    await button(page, t.remove).first().click();
  }
  await page.getByRole("alertdialog").waitFor();
}

async function openUpload(page: Page, t: Texts): Promise<void> {
  await page.getByRole("main").getByRole("button", { name: t.upload }).click();
  await button(page, t.pickZip).waitFor();
}

async function pickZip(page: Page, t: Texts): Promise<void> {
  await openUpload(page, t);
  await page
    .getByLabel(t.zipInput)
    .setInputFiles({ name: "exame.zip", mimeType: "application/zip", buffer: zip });
  await button(page, t.send).waitFor();
}

async function openViewer(page: Page, t: Texts): Promise<void> {
  await openList(page, t);
  const name = isPhone(page) ? t.openViewer : t.open;
  await button(page, name).first().click();
  const frame = await (await page.locator("iframe").elementHandle())?.contentFrame();
  await frame?.locator("canvas.cornerstone-canvas").first().waitFor();
  if (frame) await lookAtImage(frame);
}

const VIEWS: Record<string, View> = {
  login: {},
  register: {
    async show(page, t) {
      await button(page, t.createAccount).click();
      await page.getByLabel(t.name).fill("Jo");
      await page.getByLabel(t.password, { exact: true }).fill("segredo");
      await button(page, t.createAccount).click();
      await page.getByText(t.nameTooShort).waitFor();
    },
  },
  "not-found": { path: "/nada-aqui" },
  welcome: { who: "owner", path: "/his" },
  list: { who: "owner", path: "/his", show: openList },
  "list-open": { who: "owner", path: "/his", show: expandFirst },
  "list-filters": { who: "owner", path: "/his", show: openFilters },
  "list-admin": { who: "admin", path: "/his", show: openList },
  "list-empty": { who: "newcomer", path: "/his", show: openList },
  delete: { who: "owner", path: "/his", show: askDeletion },
  upload: { who: "owner", path: "/his", show: openUpload },
  "upload-form": { who: "owner", path: "/his", show: pickZip },
  viewer: { who: "owner", path: "/his", show: openViewer },
};

await using testApp = await createTestApp();
const { people, zip } = await addDemoPeople(testApp);
const origin = await testApp.listen();
const browser = await launchBrowser();
mkdirSync(out, { recursive: true });
for (const name of chosen.length > 0 ? chosen : Object.keys(VIEWS)) await takeView(browser, name);
await browser.close();

async function takeView(browser: Browser, name: string): Promise<void> {
  const view = VIEWS[name];
  if (!view) throw new Error(`no view ${name}: ${Object.keys(VIEWS).join(", ")}`);
  const rows: string[][] = [];
  for (const theme of THEMES) {
    for (const language of locales) {
      const preferences = { theme, language };
      await using context = await openContext(browser, preferences, view.who && people[view.who]);
      const row: string[] = [];
      for (const size of SIZES) {
        const file = `${name}-${theme}-${language}-${size.width}.png`;
        const page = await context.newPage();
        await page.setViewportSize(size);
        if (await hasShown(page, view, texts[language], file)) row.push(file);
        await page.close();
      }
      rows.push(row);
    }
  }
  await takeSheet(browser, name, rows);
}

/** A view that can't be reached is told, and does not keep the others from being taken. */
async function hasShown(page: Page, view: View, t: Texts, file: string): Promise<boolean> {
  page.setDefaultTimeout(10_000);
  let failure: unknown;
  try {
    if (view.path === "/nada-aqui") await page.goto(origin + view.path);
    else await visit(page, origin + (view.path ?? "/"));
    if (view.who) await page.locator("main[data-view=welcome] h1").waitFor();
    await view.show?.(page, t);
    await page.evaluate(() => document.fonts.ready);
    await page.mouse.move(0, 0);
  } catch (error) {
    failure = error;
    process.stderr.write(`${file}: ${error}\n`);
  }
  await growToContent(page);
  await page.screenshot({ path: join(out, file), animations: "disabled" });
  return failure === undefined;
}

/** Not `fullPage`, which leaves what sticks to the window's edges in the middle of the picture. */
async function growToContent(page: Page): Promise<void> {
  const size = page.viewportSize();
  const contentHeight = await page.evaluate(() => document.documentElement.scrollHeight);
  if (size && contentHeight > size.height) await page.setViewportSize({ ...size, height: contentHeight });
}

async function openContext(
  browser: Browser,
  preferences: { theme: string; language: string },
  person: Person | undefined,
): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: "reduce", locale: preferences.language });
  const stored = { ...preferences, ...(person && { token: person.token }) };
  await context.addInitScript((entries) => {
    for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
  }, stored);
  return context;
}

async function takeSheet(browser: Browser, name: string, rows: string[][]): Promise<void> {
  const width = (file: string) => Number(/-(\d+)\.png$/.exec(file)?.[1]) * SHEET_SCALE;
  const cell = (file: string) =>
    `<figure><img src="${file}" width="${width(file)}"><figcaption>${file}</figcaption></figure>`;
  const html = `<!doctype html><style>
    body { margin: 12px; background: #777; font: 11px sans-serif; width: max-content }
    div { display: flex; gap: 12px; align-items: start; margin-bottom: 16px }
    figure { margin: 0 } img { display: block }
  </style>${rows.map((row) => `<div>${row.map(cell).join("")}</div>`).join("")}`;
  writeFileSync(join(out, `${name}.html`), html);
  const page = await browser.newPage({ viewport: { width: 1340, height: 900 } });
  await page.goto(`file://${join(out, `${name}.html`)}`);
  await page.screenshot({ path: join(out, `${name}.sheet.png`), fullPage: true });
  await page.close();
  process.stdout.write(`${name}.sheet.png\n`);
}
