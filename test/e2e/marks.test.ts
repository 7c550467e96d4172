import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type BrowserApp, createBrowserApp } from "../support/browser/browser-app.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
const YEAR = "public, max-age=31536000, immutable";

describe("the product's marks", () => {
  let app: BrowserApp;
  beforeAll(async () => {
    app = await createBrowserApp("marks");
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  async function pictureAt(url: string) {
    const answer = await fetch(new URL(url, app.origin));
    expect(answer.status).toBe(200);
    const { "content-type": type, "cache-control": cached } = Object.fromEntries(answer.headers);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return { type, cached, bytes };
  }

  async function pngSize(bytes: Uint8Array): Promise<string> {
    const { width, height } = await new Bun.Image(bytes).metadata();
    return `${width}x${height}`;
  }

  test(
    "all exist, have the right type and size, and are cached for a year",
    () =>
      app.asVisitor({}, async (page) => {
        const href = (selector: string) =>
          page.locator(selector).evaluate((link: HTMLLinkElement) => link.href);
        const svg = await pictureAt(await href("link[rel=icon][type='image/svg+xml']"));
        expect([svg.type, svg.cached]).toEqual(["image/svg+xml", YEAR]);
        const sizes = [
          [await href("link[rel=icon][type='image/png']"), "32x32"],
          [await href("link[rel=apple-touch-icon]"), "180x180"],
        ];
        const manifestAnswer = await fetch(await href("link[rel=manifest]"));
        expect(manifestAnswer.headers.get("content-type")).toStartWith("application/manifest+json");
        const manifest = (await manifestAnswer.json()) as { icons: { src: string; sizes: string }[] };
        for (const { src, sizes: size } of manifest.icons) sizes.push([src, size]);
        for (const [url = "", size] of sizes) {
          const { type, cached, bytes } = await pictureAt(url);
          expect([url, type, cached, await pngSize(bytes)]).toEqual([url, "image/png", YEAR, size]);
        }
      }),
    JOB_TIMEOUT_MS,
  );

  test("include one link preview picture for each language, at an address of PUBLIC_URL", async () => {
    const cards = new Set<string>();
    for (const language of ["pt-BR", "en-US"]) {
      const html = await (await fetch(app.origin, { headers: { "accept-language": language } })).text();
      const url = /property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? "";
      expect(url).toStartWith(`${app.origin}/assets/card-${language}-`);
      const { type, cached, bytes } = await pictureAt(url);
      expect([type, cached, await pngSize(bytes)]).toEqual(["image/png", YEAR, "1200x630"]);
      cards.add(url);
    }
    expect(cards.size).toBe(2);
  });

  test("are found at the root too, where browsers look by default", async () => {
    for (const [path, size] of [
      ["/favicon.ico", "32x32"],
      ["/apple-touch-icon.png", "180x180"],
      ["/imagestorage.png", "256x192"],
    ]) {
      const { type, cached, bytes } = await pictureAt(path ?? "");
      expect([type, cached, await pngSize(bytes)]).toEqual(["image/png", "no-cache", size]);
    }
  });

  test(
    "let a browser install the product, and its frame follows the theme",
    () =>
      app.asVisitor({}, async (page) => {
        const devtools = await page.context().newCDPSession(page);
        const { errors, url } = await devtools.send("Page.getAppManifest");
        expect(url).toBe(`${app.origin}/manifest.webmanifest`);
        expect(errors).toEqual([]);
        const colour = () => page.locator("meta[name=theme-color]").getAttribute("content");
        const dark = await colour();
        expect(await frameColour(page, dark)).toBe(true);
        await page.getByRole("button", { name: /tema/i }).click();
        await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
        expect(await colour()).not.toBe(dark);
        expect(await frameColour(page, await colour())).toBe(true);
      }),
    JOB_TIMEOUT_MS,
  );
});

/** Whether a colour is that of the room in the theme that is on. */
function frameColour(page: Page, colour: string | null): Promise<boolean> {
  return page.evaluate((hex) => {
    const paint = (style: string) => {
      const context = document.createElement("canvas").getContext("2d");
      if (!context) return [];
      context.fillStyle = style;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    };
    const room = getComputedStyle(document.documentElement).getPropertyValue("--room");
    return String(paint(room)) === String(paint(hex ?? ""));
  }, colour);
}
