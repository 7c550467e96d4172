import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { Locale } from "../../../src/shared/locale.ts";
import { createTestApp, type Person, type TestApp, type TestAppOptions } from "../app/test-app.ts";
import { launchBrowser } from "./browser.ts";
import { visit, watchForTrouble } from "./watched-page.ts";

const RESULTS = join(import.meta.dir, "../../../test-results");
const WAIT_MS = 60_000;
const PICTURE_MS = 5_000;

/** The service worker fetches most of the client once more in each new context: a third of what opening a page costs. */
export const WITHOUT_WORKER = { serviceWorkers: "block" } satisfies BrowserContextOptions;

/**
 * The pages of a job are gone before V8's optimizing compilers have paid for themselves: a tenth less time. Not for OHIF, which
 * takes a third more without them.
 */
export const WITHOUT_OPTIMIZING = "--js-flags=--no-turbofan --no-maglev";

/** For jobs that show how pages do with the service worker. */
export const WITH_WORKER = { serviceWorkers: "allow" } satisfies BrowserContextOptions;

/** A person's device: a desk with a mouse, or a phone with touch. */
export const DESK = { viewport: { width: 1280, height: 900 } } satisfies BrowserContextOptions;
export const PHONE = {
  ...{ viewport: { width: 360, height: 780 }, deviceScaleFactor: 1 },
  ...{ hasTouch: true, isMobile: true },
} satisfies BrowserContextOptions;

export interface Seat {
  device?: BrowserContextOptions;
  language?: Locale;
  theme?: "dark" | "light";
  /** Whether pages load what they may need later. On a device with touch they do; at a desk a list would load OHIF's 3 MB. */
  loadsAhead?: boolean;
  /** Before the first page is opened, e.g. to take the clock in hand. */
  prepare?: (context: BrowserContext) => Promise<unknown>;
  /** Answers that are part of the job, told by their status and the end of their path, e.g. `404 /share`. */
  expected?: readonly RegExp[];
}

/** The real app with its client, and a real browser on it. */
export interface BrowserApp extends AsyncDisposable {
  testApp: TestApp;
  browser: Browser;
  origin: string;
  /** Somebody with a plan who has accepted the terms. */
  addPerson: TestApp["addPerson"];
  /**
   * A person's own browser, signed in and in /his, for the time of the job. A job that fails leaves a picture in
   * `test-results`; so does anything that goes wrong behind the pages, which fails the job too.
   */
  as(person: Person, seat: Seat, job: (page: Page) => Promise<void>): Promise<void>;
  /** The same for somebody who has yet to sign in, at the entry page. */
  asVisitor(seat: Seat, job: (page: Page) => Promise<void>): Promise<void>;
}

/**
 * @param name distinguishes the pictures of failed jobs
 * @param everywhere holds in each job whose device says nothing else
 */
export async function createBrowserApp(
  name: string,
  options?: TestAppOptions,
  everywhere: BrowserContextOptions = WITHOUT_WORKER,
): Promise<BrowserApp> {
  const testApp = await createTestApp(options);
  const origin = await testApp.listen();
  const browser = await launchBrowser(WITHOUT_OPTIMIZING);
  mkdirSync(RESULTS, { recursive: true });
  let jobs = 0;

  async function inBrowser(seat: Seat, job: (page: Page) => Promise<void>, person?: Person): Promise<void> {
    const { language = "pt-BR", theme, prepare, expected = [] } = seat;
    const device: BrowserContextOptions = seat.device ?? DESK;
    const { loadsAhead = device.hasTouch === true } = seat;
    const number = ++jobs;
    const context = await browser.newContext({
      ...{ locale: language, reducedMotion: "reduce" },
      ...everywhere,
      ...device,
    });
    context.setDefaultTimeout(WAIT_MS);
    if (person) {
      const preferences = { language, ...(theme && { theme }) };
      await context.addInitScript(signInOnce, { token: person.token, preferences });
    }
    if (!loadsAhead) await context.addInitScript(saveData);
    await prepare?.(context);
    const trouble = watchForTrouble(context);
    const page = await context.newPage();
    try {
      await visit(page, person ? `${origin}/his` : origin);
      if (person) await page.locator("main[data-view=welcome] h1").waitFor();
      await job(page);
      const unexpected = trouble.filter((told) => !expected.some((pattern) => pattern.test(told)));
      if (unexpected.length > 0) throw new Error(`behind the page:\n${unexpected.join("\n")}`);
    } catch (error) {
      for (const [index, shown] of context.pages().entries()) {
        const path = join(RESULTS, `${name}-failed-${number}${index > 0 ? `-${index}` : ""}.png`);
        // The failure must be reported, with a picture or without.
        await shown
          .screenshot({ path, timeout: PICTURE_MS })
          .catch((failure) => process.stderr.write(`no ${path}: ${failure}\n`));
      }
      throw error;
    } finally {
      await context.close();
    }
  }

  return {
    testApp,
    browser,
    origin,
    async addPerson(...person) {
      const added = await testApp.addPerson(...person);
      await testApp.call("POST", "/api/users/accept-terms", { as: added });
      return added;
    },
    as: (person, seat, job) => inBrowser(seat, job, person),
    asVisitor: (seat, job) => inBrowser(seat, job),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await testApp[Symbol.asyncDispose]();
    },
  };
}

interface Kept {
  token: string;
  preferences: Record<string, string>;
}

/** In the page: keeps what a sign-in would have kept, the first time only, so that a session can also end. */
function signInOnce({ token, preferences }: Kept): void {
  // A page that is still blank has no storage.
  if (!location.protocol.startsWith("http") || window.top !== window) return;
  if (localStorage.getItem("language")) return;
  for (const [key, value] of Object.entries(preferences)) localStorage.setItem(key, value);
  localStorage.setItem("token", token);
}

/** In the page: the person asked their browser to load no more than it must. */
function saveData(): void {
  Object.defineProperty(navigator, "connection", { value: { saveData: true }, configurable: true });
}

/** A button by its text. One in a row of a list goes on to name the row: `Open: Head CT`. */
export const button = (place: Page | Locator, text: string | RegExp) =>
  place.getByRole("button", { name: typeof text === "string" ? withRow(text) : text });

const withRow = (text: string) => new RegExp(`^${RegExp.escape(text)}(: .*)?$`);

export const field = (place: Page | Locator, label: string) => place.getByLabel(label, { exact: true });

/** The entry of the menu, or the tab of a phone, that leads to the list of exams. */
export const examsEntry = (page: Page) =>
  page
    .getByRole("navigation")
    .getByRole("button", { name: /^(Meus exames|My exams|Exames|Exams)/ })
    .first();

/** Presses a thumb on it, once it is there, still and not covered. */
export async function tap(page: Page, target: Locator): Promise<void> {
  await target.click({ trial: true });
  const box = await target.boundingBox();
  if (!box) throw new Error("nothing to tap");
  await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
}

const MAX_TABS = 120;

/** Goes on with the Tab key until the focus is there. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let pressed = 0; pressed < MAX_TABS; pressed++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the Tab key does not lead to ${target}`);
}

/** Leaves a dialog or menu with the Escape key; the first press may close something that opened over it meanwhile. */
export async function leave(page: Page, dialog: Locator): Promise<void> {
  for (let pressed = 0; pressed < 3 && (await dialog.isVisible()); pressed++) {
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached", timeout: 2_000 }).catch(() => undefined);
  }
  await dialog.waitFor({ state: "detached" });
}

/** Goes there with the Tab key and presses Enter. */
export async function enter(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("Enter");
}

/** Drops a file from the person's desktop. */
export async function dropFile(
  page: Page,
  target: Locator,
  file: { name: string; type: string; bytes: Uint8Array },
): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ({ name, type, bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(bytes)], name, { type }));
      return transfer;
    },
    { ...file, bytes: [...file.bytes] },
  );
  for (const event of ["dragenter", "dragover", "drop"]) await target.dispatchEvent(event, { dataTransfer });
}
