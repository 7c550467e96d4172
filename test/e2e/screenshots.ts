import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import { type Locale, locales } from "../../src/shared/locale.ts";
import { createTestApp } from "../support/app/test-app.ts";
import { launchBrowser } from "../support/browser/browser.ts";
import { addDemoPeople } from "../support/browser/demo-people.ts";
import { entryViews } from "./screenshots/entry-views.ts";
import { frameViews } from "./screenshots/frame-views.ts";
import { addHandOvers, handOverViews } from "./screenshots/handover-views.ts";
import { listViews } from "./screenshots/list-views.ts";
import { moneyViews } from "./screenshots/money-views.ts";
import { operationsViews } from "./screenshots/operations-views.ts";
import { profileViews } from "./screenshots/profile-views.ts";
import { securityViews } from "./screenshots/security-views.ts";
import { type Picture, takeSheet } from "./screenshots/sheet.ts";
import { trayViews } from "./screenshots/tray-views.ts";
import { uploadViews } from "./screenshots/upload-views.ts";
import { userViews } from "./screenshots/user-views.ts";
import type { View } from "./screenshots/view.ts";

/**
 * Takes each view in both themes, both languages and three widths, and lays them out on a sheet of each view:
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
const ACTION_TIMEOUT_MS = 15_000;
const PICTURES_TIMEOUT_MS = 3_000;

interface Setting {
  theme: (typeof THEMES)[number];
  language: Locale;
  size: (typeof SIZES)[number];
}

/** So that a Pix can be paid. */
const merchant = {
  PIX_KEY: "123e4567-e12b-12d1-a456-426655440000",
  PIX_MERCHANT_NAME: "Exameteca",
  PIX_MERCHANT_CITY: "BRASILIA",
};
await using testApp = await createTestApp({ env: merchant, hostname: "localhost" });
const { people, zip } = await addDemoPeople(testApp);
const origin = await testApp.listen();
mkdirSync(out, { recursive: true });
const zipPath = join(out, "exame.zip");
const toSend = generateStudy({ kind: "ct-head", seed: "to send", size: 128, instances: 24 });
writeFileSync(zipPath, await zipStudyBytes({ instances: toSend, folder: "DICOM" }));
const keptPath = join(out, "guardado.zip");
writeFileSync(keptPath, zip);
const views: Record<string, View> = {
  ...entryViews,
  ...frameViews,
  ...listViews,
  ...uploadViews(zipPath, keptPath),
  ...trayViews(people.owner.id, zipPath),
  ...handOverViews(await addHandOvers(testApp, people), zipPath),
  ...profileViews,
  ...moneyViews,
  ...userViews,
  ...securityViews,
  ...operationsViews,
};
const names = chosen.length > 0 ? chosen : Object.keys(views);
const unknown = names.filter((name) => !Object.hasOwn(views, name));
if (unknown.length > 0) throw new Error(`no view ${unknown.join(", ")}: ${Object.keys(views).join(", ")}`);

const browser = await launchBrowser();
/** One of each language and size: pages that are open at once share no storage, and none is resized at its start. */
const contexts = new Map<string, BrowserContext>();
for (const language of locales) {
  for (const size of SIZES) {
    const options = { reducedMotion: "reduce", locale: language, viewport: size } as const;
    contexts.set(contextKey({ language, size }), await browser.newContext(options));
  }
}
let failures = 0;
for (const name of names) await takeView(browser, name, views[name] ?? {});
await browser.close();
if (failures > 0) {
  process.stderr.write(`${failures} pictures are not of what they should show\n`);
  process.exitCode = 1;
}

async function takeView(browser: Browser, name: string, view: View): Promise<void> {
  const sizes = SIZES.filter(({ width }) => view.only?.(width) ?? true);
  const rows: Picture[][] = [];
  for (const theme of THEMES) {
    for (const language of locales) {
      rows.push(await Promise.all(sizes.map((size) => takePicture(name, view, { theme, language, size }))));
    }
  }
  await takeSheet(browser, out, name, rows);
  process.stdout.write(`${name}.sheet.png\n`);
}

/** A view that can't be reached is told, pictured as it is, and does not keep the others from being taken. */
async function takePicture(name: string, view: View, setting: Setting): Promise<Picture> {
  const { theme, language, size } = setting;
  const file = `${name}-${theme}-${language}-${size.width}.png`;
  const page = await openPage(setting);
  page.setDefaultTimeout(ACTION_TIMEOUT_MS);
  let caption = `${theme} · ${language} · ${size.width}`;
  try {
    await open(page, view, setting);
    await view.show?.(page);
    await page.locator(".auth-shape").waitFor({ state: "detached" });
    await page.evaluate(() => document.fonts.ready);
    // Pictures of studies come one after the other; a view that asks for ever more is taken as it is.
    await page.waitForLoadState("networkidle", { timeout: PICTURES_TIMEOUT_MS }).catch(() => {});
    await page.mouse.move(0, 0);
    const overflow = await overflowOf(page);
    if (overflow > 0) throw new Error(`${overflow} px wider than the window`);
  } catch (error) {
    failures++;
    caption += " · FAILED";
    process.stderr.write(`${file}: ${String(error).split("\n", 1)}\n`);
  }
  await growToContent(page);
  await page.screenshot({ path: join(out, file), animations: "disabled" });
  await page.close();
  return { file, width: size.width, caption };
}

function contextKey({ language, size }: Pick<Setting, "language" | "size">): string {
  return `${language} ${size.width}`;
}

async function openPage(setting: Setting): Promise<Page> {
  const page = await contexts.get(contextKey(setting))?.newPage();
  if (!page) throw new Error(`no context of ${contextKey(setting)}`);
  return page;
}

async function open(page: Page, view: View, { theme, language }: Setting): Promise<void> {
  const person = view.who && people[view.who];
  const stored = { ...view.stored, theme, language, ...(person && { token: person.token }) };
  await page.addInitScript((entries) => {
    localStorage.clear();
    for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
  }, stored);
  await view.prepare?.(page);
  const path = view.path ?? (person ? "/his" : "/");
  const answer = await page.goto(origin + path, { waitUntil: "commit" });
  if (answer?.status() === 404) return;
  await page.locator("[data-island][data-ready]").waitFor();
  if (person) await page.locator("main[data-view=welcome] h1").waitFor();
}

function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Not `fullPage`, which leaves what sticks to the window's edges in the middle of the picture. */
async function growToContent(page: Page): Promise<void> {
  const size = page.viewportSize();
  const contentHeight = await page.evaluate(() => document.documentElement.scrollHeight);
  if (!size || contentHeight <= size.height) return;
  await page.setViewportSize({ ...size, height: contentHeight });
  // A busy machine takes its time to draw what has become visible.
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
}
