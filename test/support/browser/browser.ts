import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The headless shell first: it draws with the same engine, and a page of ours takes half the time or less. */
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/**
 * Software WebGL, so that the viewer draws the same on a machine without a graphics card. Everything else is drawn
 * without it: a quarter less time, and no tiles of large pages lost.
 */
export const BROWSER_ARGS = [
  "--no-sandbox",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-gpu-compositing",
  "--disable-gpu-rasterization",
  "--disable-background-networking",
  "--no-first-run",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
];

/** As long as anything in a page may take: OHIF loads for a minute on a slow machine that does five other things. */
const WAIT_MS = 100_000;

/** Path of a Chromium on this machine: `CHROMIUM_PATH`, the usual places, then one that Playwright installed. */
export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM_PATH;
  if (named) return existsSync(named) ? named : undefined;
  return [...PLACES, chromium.executablePath()].find((path) => path !== "" && existsSync(path));
}

/** @throws if there is no Chromium; the message says how to get one */
export async function launchBrowser(...moreArgs: string[]): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) {
    throw new Error(
      "The browser tests need Chromium. Install it (apt-get install chromium-headless-shell, or bun x playwright-core " +
        "install --with-deps chromium-headless-shell) or name one in CHROMIUM_PATH.",
    );
  }
  // Without a locale of UTF-8 Chromium saves a file whose name has an accent as "download".
  const browser = await chromium.launch({
    executablePath,
    args: [...BROWSER_ARGS, ...moreArgs],
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(WAIT_MS);
    return context;
  };
  return browser;
}
