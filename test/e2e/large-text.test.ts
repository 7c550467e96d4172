import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { createTestApp, type Person, type TestApp } from "../support/app/test-app.ts";
import { launchBrowser } from "../support/browser/browser.ts";
import { PHONE, WITHOUT_OPTIMIZING, WITHOUT_WORKER } from "../support/browser/browser-app.ts";
import { visit } from "../support/browser/watched-page.ts";
import { sampleZip } from "../support/zip/sample-zip.ts";

const JOB_TIMEOUT_MS = 240_000;

let t: TestApp;
let browser: Browser;
let origin: string;

beforeAll(async () => {
  t = await createTestApp();
  origin = await t.listen();
  browser = await launchBrowser(WITHOUT_OPTIMIZING, "--blink-settings=defaultFontSize=32");
}, JOB_TIMEOUT_MS);
afterAll(async () => {
  await browser?.close();
  await t?.[Symbol.asyncDispose]();
});

async function addPerson(...person: Parameters<TestApp["addPerson"]>): Promise<Person> {
  const added = await t.addPerson(...person);
  await t.call("POST", "/api/users/accept-terms", { as: added });
  return added;
}

/** How far each place goes beyond the edge of a phone's screen on which the person reads text twice as large. */
async function overhangs(person: Person, places: readonly string[]): Promise<Record<string, number>> {
  const context = await browser.newContext({ ...WITHOUT_WORKER, ...PHONE, locale: "pt-BR" });
  await context.addInitScript((token) => localStorage.setItem("token", token), person.token);
  const page = await context.newPage();
  await visit(page, `${origin}/his`);
  const found: Record<string, number> = {};
  for (const place of places) {
    await page.evaluate((path) => {
      const address = path.startsWith("/subscription") ? "/his/subscription" : "/his";
      history.replaceState({ place: path }, "", address);
    }, place);
    await page.reload();
    await page.locator("main h1").waitFor();
    await page.waitForFunction(() => document.querySelector("main .skeleton") === null);
    found[place] = await page.evaluate(farthestText);
  }
  await context.close();
  return found;
}

/** In the page: by how many pixels text is cut off, at the screen's edge or at the edge of a panel. */
function farthestText(): number {
  let most = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  for (const panel of document.querySelectorAll("main .panel, main .home-head-row, main .btn")) {
    const edge = Math.min(panel.getBoundingClientRect().right, document.documentElement.clientWidth);
    for (const part of panel.querySelectorAll("span, b, a, dd, time")) {
      const { right, width } = part.getBoundingClientRect();
      if (width > 1) most = Math.max(most, Math.round(right - edge));
    }
  }
  return most;
}

const none = (places: readonly string[]) => Object.fromEntries(places.map((place) => [place, 0]));

test(
  "with text twice as large nothing of a person's pages is beyond the edge of a phone",
  async () => {
    const person = await addPerson("Helena Duarte");
    await t.store(person, sampleZip({ study: "1" }));
    const places = ["/welcome", "/help", "/profile/tab/access", "/subscription"];
    expect(await overhangs(person, places)).toEqual(none(places));
  },
  JOB_TIMEOUT_MS,
);

test(
  "nor of an admin's",
  async () => {
    const admin = await addPerson("Beatriz Admin", { role: "admin" });
    const places = ["/welcome", "/subscription"];
    expect(await overhangs(admin, places)).toEqual(none(places));
  },
  JOB_TIMEOUT_MS,
);
