import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { zipSync } from "fflate";
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Frame,
  Page,
  Response as PageResponse,
} from "playwright-core";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import { makeDerivatives } from "../../src/server/features/derivatives/make-derivatives.ts";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import type { Locale } from "../../src/shared/locale.ts";
import { createTestApp, type Person, type TestApp } from "../support/app/test-app.ts";
import { launchBrowser } from "../support/browser/browser.ts";
import { examsEntry, leave, WITHOUT_WORKER } from "../support/browser/browser-app.ts";
import { moveFingers } from "../support/browser/touch.ts";
import { difference, isPicture, lookAtImage, type Sight } from "../support/browser/viewer-canvas.ts";
import { visit, watchForTrouble } from "../support/browser/watched-page.ts";
import { sampleFile } from "../support/dicom/dicom-sample.ts";
import { servePlainOhif } from "../support/dicom/plain-ohif.ts";
import { until } from "../support/until.ts";
import { sampleZip } from "../support/zip/sample-zip.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
const WAIT_MS = 100_000;
const RETIRED_JPEG = "1.2.840.10008.1.2.4.53";
const STRUCTURED_REPORT = "1.2.840.10008.5.1.4.1.1.88.33";

const desk = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const onItsSide = { width: 740, height: 360 };

const ui = (value: string) => ({ vr: "UI", Value: [value] });

/** A study of a scout and `slices` slices of a head. */
function head(slices: number, { studyDate = "20260817", size = 128 } = {}): Promise<Uint8Array> {
  const instances = generateStudy({
    kind: "ct-head",
    seed: "viewer",
    size,
    instances: slices,
    studyDate,
  });
  return zipStudyBytes({ instances, folder: "DICOM" });
}

/** An instance that the viewer can't show: JPEG of a retired kind, unless it has no pixels at all. */
function instanceWithoutImage(uid: string, elements: object = {}): Uint8Array {
  return sampleFile(
    {
      [TagHex.StudyInstanceUID]: ui(uid),
      [TagHex.SeriesInstanceUID]: ui(`${uid}.9`),
      [TagHex.SOPInstanceUID]: ui(`${uid}.9.1`),
      [TagHex.PixelData]: { vr: "OB", fragments: [Uint8Array.of(0xff, 0xd8, 0xff, 0xd9)] },
      ...elements,
    },
    { transferSyntaxUID: RETIRED_JPEG },
  );
}

let testApp: TestApp;
let browser: Browser;
let origin: string;
let context: BrowserContext | undefined;
/** What a test goes on with where the one before it has left off: the viewer takes seconds of computing to start. */
let page: Page;
let frame: Frame;
/** Whatever else was started. */
const started: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  testApp = await createTestApp({ env: { DERIVATIVES: "on" } });
  await postponeCopies(testApp.sql);
  origin = await testApp.listen();
  browser = await launchBrowser();
}, START_TIMEOUT_MS);
afterAll(async () => {
  await browser?.close();
  for (const stop of started) await stop();
  await testApp?.[Symbol.asyncDispose]();
});

async function personWith(...zips: Uint8Array[]): Promise<Person> {
  const person = await testApp.addPerson("Helena Duarte", { plan: "familia" });
  await testApp.call("POST", "/api/users/accept-terms", { as: person });
  for (const zip of zips) await testApp.store(person, zip);
  return person;
}

/** No job makes lossless copies before a test does: neither the one of an upload, nor the sweep of the start or of an hour. */
async function postponeCopies(sql: TestApp["sql"]): Promise<void> {
  await sql`create function postpone() returns trigger language plpgsql as
    $$ begin new.start_after := new.start_after + interval '1 day'; return new; end $$`;
  await sql`create trigger postpone before insert on pgboss.job for each row
    when (new.name like 'derivatives.%') execute function postpone()`;
  await until(async () => {
    const left = await sql`select 1 from pgboss.job where name = 'derivatives.sweep' and state < 'completed'`;
    return left.length === 0;
  });
}

/** Makes the lossless copies of the person's images. */
async function copyImages(person: Person): Promise<void> {
  const rows = await testApp.sql<{ id: string }[]>`select id from studies where account_id = ${person.id}`;
  for (const { id } of rows) await makeDerivatives(testApp.deps, id, new AbortController().signal);
}

interface Seat {
  screen?: BrowserContextOptions;
  locale?: Locale;
  at?: string;
  /** Else the one of all tests. */
  by?: Browser;
}

/** The person's list, in a browser that is signed in. It closes the page of before, which would go on drawing. */
async function openList(
  person: Person,
  { screen = desk, locale = "pt-BR", at = origin, by = browser }: Seat = {},
): Promise<Page> {
  await context?.close();
  context = await by.newContext({ ...WITHOUT_WORKER, ...screen, locale, reducedMotion: "reduce" });
  context.setDefaultTimeout(WAIT_MS);
  await context.addInitScript(
    (kept) => {
      // A viewer of another origin has no storage.
      if (window.top !== window) return;
      for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value);
    },
    { token: person.token, language: locale, viewer: "ohif" },
  );
  const page = await context.newPage();
  await visit(page, `${at}/his`);
  await examsEntry(page).click();
  await opener(page).waitFor();
  return page;
}

const opener = (page: Page) => page.locator("[data-opens]:visible").first();
const overlay = (page: Page) => page.getByRole("dialog");

/** The viewer in the page, once it may be seen. */
async function shownFrame(page: Page): Promise<Frame> {
  const element = await page.locator("iframe.is-shown").elementHandle();
  const frame = await element?.contentFrame();
  if (!frame) throw new Error("no viewer is shown");
  return frame;
}

async function openViewer(page: Page): Promise<Frame> {
  await opener(page).click();
  return shownFrame(page);
}

/** Another node's door to the same product, with the viewer on an origin of its own or answers changed on their way. */
async function serveElsewhere({
  hasViewerOrigin = false,
  change = (response: Response, _path: string) => response,
} = {}) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(null, { status: 503 }),
  });
  const at = server.url.origin;
  const { createApp } = await import("../../src/server/app.ts");
  const { folderAssets } = await import("../../src/server/render/assets.ts");
  const dist = join(import.meta.dir, "../../dist");
  const assets = {
    client: folderAssets(join(dist, "client")),
    viewer: folderAssets(join(dist, "viewer")),
  };
  const { deps } = testApp;
  const viewerOrigin = hasViewerOrigin ? `http://localhost:${server.port}` : undefined;
  const app = createApp({ ...deps, config: { ...deps.config, publicUrl: at, viewerOrigin } }, assets);
  server.reload({
    fetch: async (request, bunServer) =>
      change(await app.fetch(request, { server: bunServer }), new URL(request.url).pathname),
  });
  started.push(() => server.stop(true));
  return { at, viewerOrigin };
}

/** The viewer, opened by `open`, once it has drawn an image. */
interface Opening {
  frame: Frame;
  sight: Sight;
  /** First frames that came. */
  frames: { type: string; bytes: number }[];
  /** Scripts of the viewer that the server was asked for. */
  scripts: string[];
}

describe("a study", () => {
  const fetched: string[] = [];
  /** The list has had time to load an opening's scripts. */
  const warmed = Promise.withResolvers<void>();
  let person: Person;
  let at: string;
  let first: Opening;
  let second: Opening;

  beforeAll(async () => {
    let opening: string[] | undefined;
    const change = (response: Response, path: string) => {
      if (/^\/viewer\/.*\.js$/.test(path)) fetched.push(path);
      if (opening?.every((part) => fetched.includes(part))) warmed.resolve();
      return response;
    };
    ({ at } = await serveElsewhere({ change }));
    const parts: [string, number][] = await (await fetch(`${at}/viewer/opening.json`)).json();
    expect(parts.length).toBeGreaterThan(20);
    opening = parts.map(([path]) => path);
    person = await personWith();
    const { studies } = await testApp.store(person, await head(9, { size: 256 }));
    const number = { [TagHex.SeriesNumber]: { vr: "IS", Value: [77] } };
    const without = instanceWithoutImage(studies[0]?.studyInstanceUID ?? "", number);
    await testApp.store(person, zipSync({ IM1: without }));
    page = await openList(person, { at });
  }, START_TIMEOUT_MS);

  async function look(open: () => Promise<unknown>): Promise<Opening> {
    const frames: Opening["frames"] = [];
    const note = async (response: PageResponse) => {
      if (!/\/frames\/1$/.test(new URL(response.url()).pathname)) return;
      const body = await response.body().catch(() => Buffer.alloc(0));
      frames.push({ type: response.headers()["content-type"] ?? "", bytes: body.length });
    };
    fetched.length = 0;
    page.on("response", note);
    await open();
    const frame = await shownFrame(page);
    const sight = await lookAtImage(frame);
    page.off("response", note);
    return { frame, sight, frames, scripts: [...fetched] };
  }

  test(
    "opens at once on the click, takes the keys once an image is drawn, and closes with Escape",
    async () => {
      const row = await opener(page).getAttribute("data-opens");
      const said = await page.evaluateHandle(() => {
        const events: string[] = [];
        window.addEventListener("message", ({ data }) => events.push(data.viewer));
        return events;
      });
      await page.locator(".study-row img").first().waitFor();
      await warmed.promise;
      const percentages = await watchPercent(page);
      first = await look(async () => {
        const atOnce = await opener(page).evaluate(async (button: HTMLElement) => {
          button.click();
          await Promise.resolve();
          const there = (selector: string) => document.querySelector(selector) !== null;
          const isFocusIn = document.activeElement?.closest("[role=dialog]") !== null;
          return {
            overlay: there(".viewer [role=status]"),
            picture: there(".viewer img[src^='blob:']"),
            isFocusIn,
          };
        });
        expect(atOnce).toEqual({ overlay: true, picture: true, isFocusIn: true });
      });
      const { frame } = first;
      expect(await said.jsonValue()).toContain("shown");
      const told = await percentages.jsonValue();
      expect(told.length).toBeGreaterThan(0);
      expect(told).toEqual(told.toSorted((a, b) => a - b));
      expect(isPicture(first.sight)).toBe(true);
      await frame.getByText("(5/9)").first().waitFor();
      expect(await page.locator(".viewer img").count()).toBe(0);

      await page.waitForFunction(() => document.activeElement instanceof HTMLIFrameElement);
      await frame.locator('[data-cy="MoreTools-split-button-secondary"]').click();
      await frame.locator("[role=menu]:focus, [role=menu] :focus").waitFor();
      // A tool tip that has come up meanwhile takes the first press.
      await leave(page, frame.getByRole("menu"));
      expect(await overlay(page).isVisible()).toBe(true);

      await postFromOtherWindows(page);
      expect(await overlay(page).isVisible()).toBe(true);

      await page.keyboard.press("Escape");
      await overlay(page).waitFor({ state: "detached" });
      await page.waitForFunction((id) => document.activeElement?.getAttribute("data-opens") === id, row);
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "looks the same when its frames come from the lossless HTJ2K copy, in fewer bytes",
    async () => {
      await copyImages(person);
      second = await look(() => opener(page).click());
      expect(isPicture(second.sight)).toBe(true);
      expect(difference(first.sight, second.sight)).toBe(0);
      const isCopy = ({ type }: { type: string }) => type.endsWith("transfer-syntax=1.2.840.10008.1.2.4.202");
      expect(first.frames.some(isCopy)).toBe(false);
      expect(second.frames.some((frame) => isCopy(frame) && frame.bytes < 60_000)).toBe(true);
    },
    JOB_TIMEOUT_MS,
  );

  test("that is opened from an idle list, or again, fetches only the viewer's first script and its workers'", () => {
    for (const { sight, scripts } of [first, second]) {
      expect(isPicture(sight)).toBe(true);
      // Our own first script, and at most three workers with what they import.
      expect(scripts.length).toBeLessThan(8);
      expect(scripts.filter((path) => path.includes("/app.bundle."))).toEqual([]);
    }
  });

  test(
    "is shown by a page whose scripts can't reach a session, storage, cookies, our API or peers",
    async () => {
      await page.context().addCookies([{ name: "kept", value: "secret", url: at }]);
      const { frame } = second;
      expect(isPicture(await lookAtImage(frame))).toBe(true);
      const tries = { token: person.token, address: `${at}/api/auth/me` };
      const inFrame = await frame.evaluate(reachForSession, tries);
      const nothing = { storage: [], cookie: "", api: "refused", origin: "null", peers: [] };
      expect(inFrame).toEqual({ parent: "refused", ...nothing });

      // The address of the page, opened by itself, is sandboxed by the answer's own policy.
      const other = await page.context().newPage();
      await other.goto(await frame.evaluate(() => location.href));
      await other.locator("#root").waitFor({ state: "attached" });
      const alone = await other.evaluate(reachForSession, tries);
      expect(alone).toMatchObject(nothing);
      await other.close();
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "says over its images that one series can't be shown",
    async () => {
      const { frame } = second;
      expect(isPicture(await lookAtImage(frame))).toBe(true);
      const notice = frame.getByText("Esta imagem não pode ser exibida aqui");
      const series = frame.getByText("S:77", { exact: true });
      await series.waitFor();
      expect(await notice.count()).toBe(0);
      await series.dblclick();
      await notice.waitFor();
      await frame.getByText("S:2", { exact: true }).dblclick();
      await notice.waitFor({ state: "detached" });
      await overlay(page).getByRole("button", { name: "Fechar" }).first().click();
      await overlay(page).waitFor({ state: "detached" });
    },
    JOB_TIMEOUT_MS,
  );

  /** Notes how far the viewer says that its opening is, from now on. */
  function watchPercent(page: Page) {
    return page.evaluateHandle(() => {
      const told: number[] = [];
      new MutationObserver(() => {
        const bar = document.querySelector(".viewer progress");
        if (bar instanceof HTMLProgressElement && bar.value !== told.at(-1)) told.push(bar.value);
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
      return told;
    });
  }

  /** The attempts of a script injected into the viewer's page. */
  async function reachForSession({ token, address }: { token: string; address: string }) {
    let parent: string | null;
    try {
      parent = window.parent.sessionStorage.getItem("token") ?? window.parent.localStorage.getItem("token");
    } catch {
      parent = "refused";
    }
    const storage = [localStorage, sessionStorage].flatMap((kept) =>
      Array.from({ length: kept.length }, (_, i) => kept.getItem(kept.key(i) ?? "") ?? "").filter((text) =>
        text.includes(token),
      ),
    );
    const headers = { authorization: `Bearer ${token}` };
    const api = await fetch(address, { headers }).then(
      () => "answered",
      () => "refused",
    );
    // Of a frame of its own as well, where the page may look into it.
    const child = document.body.appendChild(document.createElement("iframe")).contentWindow;
    const peers = [window, child].flatMap((page) => {
      try {
        return Object.getOwnPropertyNames(page).filter((name) => name.endsWith("RTCPeerConnection"));
      } catch {
        return [];
      }
    });
    return { parent, storage, cookie: document.cookie, api, origin: self.origin, peers };
  }

  /** Two windows that are not the viewer say what it says when it is left. */
  async function postFromOtherWindows(page: Page): Promise<void> {
    const handle = await page.evaluateHandle(() =>
      document.body.appendChild(document.createElement("iframe")),
    );
    const stranger = await handle.contentFrame();
    for (const other of [page, stranger]) {
      await other?.evaluate(() => window.parent.postMessage({ viewer: "leave" }, "*"));
    }
    await page.evaluate(async () => {
      for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
    });
    await handle.evaluate((iframe) => iframe.remove());
  }

  test(
    "opens in the page as well, and the list is as before on return: filter, page, scroll position and focus",
    async () => {
      const others = Array.from({ length: 11 }, (_, i) => ({ study: String(700 + i) }));
      const another = { study: "799", elements: { [TagHex.PatientName]: { vr: "PN", Value: ["Lima^Ana"] } } };
      const person = await personWith(
        await head(3, { studyDate: "20200101" }),
        sampleZip(...others, another),
      );
      page = await openList(person, { screen: { viewport: { width: 1280, height: 420 } } });
      await page.getByPlaceholder("Buscar por nome").fill("o");
      await page.getByText("Mostrando 1 a 10 de 12").waitFor();
      await page.getByRole("button", { name: "Próximo", exact: true }).click();
      await page.getByText("Mostrando 11 a 12").waitFor();
      const opening = page.locator("[data-opens]:visible");
      // While a page is read, the rows of the one before it stay.
      await until(async () => (await opening.count()) === 2);
      const row = opening.last();
      const id = await row.getAttribute("data-opens");
      await row.scrollIntoViewIfNeeded();
      const scrollY = await page.evaluate(() => window.scrollY);
      expect(scrollY).toBeGreaterThan(0);

      await row.click();
      await page.getByRole("button", { name: "Ver ao lado do menu" }).click();
      await page.locator("main[data-view=viewer]").waitFor();
      expect(await page.evaluate(() => window.scrollY)).toBe(0);
      expect(await page.locator("nav [aria-current=page]").first().textContent()).toContain("Meus exames");
      expect(isPicture(await lookAtImage(await shownFrame(page)))).toBe(true);
      await page.getByRole("button", { name: "Voltar para a lista" }).click();

      await page.getByText("Mostrando 11 a 12").waitFor();
      expect(await page.getByPlaceholder("Buscar por nome").inputValue()).toBe("o");
      await page.waitForFunction((top) => Math.abs(window.scrollY - top) < 2, scrollY);
      await page.waitForFunction(
        (opened) => document.activeElement?.getAttribute("data-opens") === opened,
        id,
      );
    },
    JOB_TIMEOUT_MS,
  );
});

describe("a study that the viewer can't show", () => {
  const sentences = {
    "pt-BR": {
      images: "Imagens deste tipo não podem ser exibidas aqui",
      none: "Este exame não tem imagens para exibir",
      download: "Baixar exame",
    },
    "en-US": {
      images: "Images of this kind can't be shown here",
      none: "This exam has no images to show",
      download: "Download exam",
    },
  } as const;

  let person: Person;
  beforeAll(async () => {
    const report = {
      [TagHex.SOPClassUID]: ui(STRUCTURED_REPORT),
      [TagHex.PixelData]: { vr: "OB", bytes: new Uint8Array() },
    };
    const withoutPixels = instanceWithoutImage(NO_PIXELS, report);
    person = await personWith(zipSync({ IM1: instanceWithoutImage(UNKNOWN_KIND), IM2: withoutPixels }));
  }, START_TIMEOUT_MS);

  for (const locale of ["pt-BR", "en-US"] as const) {
    test(
      `is announced in plain words, and can be downloaded, in ${locale}`,
      async () => {
        const t = sentences[locale];
        page = await openList(person, { locale });
        for (const [said, uid] of [
          [t.images, UNKNOWN_KIND],
          [t.none, NO_PIXELS],
        ] as const) {
          const [study] = await testApp.sql`select id from studies where study_instance_uid = ${uid}`;
          await page.locator(`[data-opens="${study?.id}"]:visible`).first().click();
          await overlay(page).getByRole("heading", { name: said }).waitFor();
          expect(await page.locator("iframe").count()).toBe(0);
          const downloading = page.waitForEvent("download");
          await overlay(page).getByRole("button", { name: t.download }).click();
          expect((await downloading).suggestedFilename()).toEndWith(".zip");
          await leave(page, overlay(page));
        }
      },
      JOB_TIMEOUT_MS,
    );
  }

  const UNKNOWN_KIND = "2.25.91";
  const NO_PIXELS = "2.25.92";
});

describe("on a phone", () => {
  test(
    "everything fits, in portrait and landscape; one finger turns the slices and two zoom",
    async () => {
      page = await openList(await personWith(await head(12)), { screen: phone });
      frame = await openViewer(page);
      const slice = () =>
        frame
          .getByText(/\(\d+\/12\)/)
          .first()
          .textContent();
      for (const [viewport, way] of [
        [phone.viewport, 1],
        [onItsSide, -1],
      ] as const) {
        await page.setViewportSize(viewport);
        await frame.waitForFunction((width) => window.innerWidth === width, viewport.width);
        const first = await steadySight(frame);
        await expectRoom(page, frame, viewport);
        const to = await pointsOfImage(frame);

        const begun = await slice();
        await moveFingers(page, { from: to(0, -way), to: to(0, way) });
        const turned = await lookAtImage(frame, { isSought: (sight) => difference(sight, first) > 2 });
        expect(difference(turned, first)).toBeGreaterThan(2);
        expect(await slice()).not.toBe(begun);

        const before = await steadySight(frame);
        await moveFingers(page, { from: to(-0.2, 0), to: to(-0.9, 0) }, { from: to(0.2, 0), to: to(0.9, 0) });
        const larger = (sight: Sight) => sight.lit > before.lit * 1.3;
        expect((await lookAtImage(frame, { isSought: larger })).lit).toBeGreaterThan(before.lit * 1.3);
        await frame.locator('[data-cy="MoreTools-split-button-secondary"]').click();
        await frame.getByRole("menu").getByText("Restaurar a vista").click();
      }
    },
    JOB_TIMEOUT_MS,
  );

  /** Points of the screen by their place in the image: its middle is 0, 0. */
  async function pointsOfImage(frame: Frame) {
    const canvas = await frame.locator("canvas.cornerstone-canvas").first().boundingBox();
    if (!canvas) throw new Error("no image");
    const centre = { x: canvas.x + canvas.width / 2, y: canvas.y + canvas.height / 2 };
    const reach = Math.min(canvas.width, canvas.height) * 0.35;
    return (x: number, y: number) => ({ x: centre.x + x * reach, y: centre.y + y * reach });
  }

  const steadySight = (frame: Frame) => lookAtImage(frame, { timeoutMs: WAIT_MS });

  /** No control is cut off by the screen's edges or covered by another. */
  async function expectRoom(page: Page, frame: Frame, { width, height }: { width: number; height: number }) {
    const boxes = [];
    for (const control of [
      ...(await overlay(page).locator(".viewer-head button").all()),
      ...(await frame.locator("button:visible").all()),
    ]) {
      const box = await control.boundingBox();
      if (box && box.width > 0)
        boxes.push({ ...box, name: await control.evaluate((el) => el.outerHTML.slice(0, 160)) });
    }
    expect(boxes.length).toBeGreaterThan(6);
    for (const [place, box] of boxes.entries()) {
      const isInside =
        box.x >= -1 && box.y >= -1 && box.x + box.width <= width + 1 && box.y + box.height <= height + 1;
      expect({ name: box.name, isInside }).toEqual({ name: box.name, isInside: true });
      for (const other of boxes.slice(place + 1)) {
        const across = Math.min(box.x + box.width, other.x + other.width) - Math.max(box.x, other.x);
        const down = Math.min(box.y + box.height, other.y + other.height) - Math.max(box.y, other.y);
        const overlaps = across > 2 && down > 2;
        expect({ one: box.name, other: other.name, overlaps }).toEqual({
          one: box.name,
          other: other.name,
          overlaps: false,
        });
      }
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

/** Pieces in which frames were delivered. */
let pieces = 0;

describe("a connection that loses something", () => {
  beforeAll(async () => {
    const change = (response: Response, path: string) => {
      if (!path.includes("/frames/") || !response.body) return response;
      const inPieces = response.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          async transform(bytes, controller) {
            for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
              controller.enqueue(bytes.subarray(at, at + PIECE_BYTES));
              pieces++;
              await Bun.sleep(PIECE_MS);
            }
          },
        }),
      );
      return new Response(inPieces, response);
    };
    const { at } = await serveElsewhere({ change });
    const by = await launchBrowser("--disable-3d-apis");
    started.push(() => by.close());
    page = await openList(await personWith(await head(2, { size: 512 })), { at, by });
  }, START_TIMEOUT_MS);

  test(
    "is reported as such, whatever was lost, and the study is shown at the next try",
    async () => {
      const card = overlay(page).getByRole("heading", { name: /^Erro ao carregar o visualizador\./ });
      const retry = overlay(page).getByRole("button", { name: "Tentar novamente" });
      const lose = (path: RegExp) => page.route(path, (route) => route.abort("connectionreset"));

      await lose(CHUNK);
      await opener(page).click();
      await card.waitFor();
      await page.unroute(CHUNK);
      await lose(DECODER);
      await retry.click();
      await card.waitFor({ state: "detached" });
      await card.waitFor();
      await page.unroute(DECODER);
      await lose(FRAMES);
      await retry.click();
      frame = await shownFrame(page);
      await frame
        .getByText("Esta imagem não chegou. Verifique sua conexão e abra o exame de novo.")
        .waitFor();
      await page.unroute(FRAMES);
      await page.keyboard.press("Escape");
      await overlay(page).waitFor({ state: "detached" });
      pieces = 0;
      frame = await openViewer(page);
      expect(isPicture(await lookAtImage(frame))).toBe(true);
    },
    JOB_TIMEOUT_MS,
  );

  /** A script that OHIF loads after its first, the worker that decodes, and the images. */
  const CHUNK = /\/viewer\/.*\/89\.bundle\./;
  const DECODER = /\/viewer\/.*\/8097\.bundle\./;
  const FRAMES = /\/frames\//;
  /** More than OHIF waits for before it would decode what has come so far. */
  const PIECE_BYTES = 150_000;
  const PIECE_MS = 150;
});

describe("a slow connection", () => {
  test("delivers an image in pieces; it is shown once, whole", async () => {
    const sight = await lookAtImage(frame);
    expect(pieces).toBeGreaterThan(1);
    expect(sight.colours).toBeGreaterThan(8);
    expect(await frame.getByText("Esta imagem não").count()).toBe(0);
  });
});

describe("a browser", () => {
  test("without WebGL still shows the images", async () => {
    const sight = await lookAtImage(frame);
    expect(sight.colours).toBeGreaterThan(8);
    expect(await frame.evaluate(() => document.createElement("canvas").getContext("webgl2"))).toBeNull();
  });
});

describe("a viewer on an origin of its own", () => {
  let viewerOrigin: string | undefined;

  test(
    "opens in a browser that prefetches nothing",
    async () => {
      // A page of an origin asks the browser in advance; a sandboxed one has no cache to put it into.
      const elsewhere = await serveElsewhere({ hasViewerOrigin: true });
      viewerOrigin = elsewhere.viewerOrigin;
      page = await openList(await personWith(await head(3)), { at: elsewhere.at });
      let prefetches = 0;
      await page.route(/\/viewer\//, async (route) => {
        const { purpose, "sec-purpose": secPurpose = purpose } = await route.request().allHeaders();
        if (!secPurpose?.startsWith("prefetch")) return route.continue();
        prefetches++;
        return route.abort("blockedbyclient");
      });
      frame = await openViewer(page);
      expect(isPicture(await lookAtImage(frame))).toBe(true);
      expect(prefetches).toBeGreaterThan(0);
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "still shows images, and closes with Escape",
    async () => {
      expect(new URL(frame.url()).origin).toBe(String(viewerOrigin));
      expect(isPicture(await lookAtImage(frame))).toBe(true);
      await page.waitForFunction(() => document.activeElement instanceof HTMLIFrameElement);
      await page.keyboard.press("Escape");
      await overlay(page).waitFor({ state: "detached" });
    },
    JOB_TIMEOUT_MS,
  );
});

test(
  "OHIF as its package has it, with a plain configuration, lists the studies of an access token and draws one",
  async () => {
    const person = await personWith(await head(3), sampleZip({ study: "801" }));
    const json = { name: "OHIF", scopes: ["dicomweb:read"] };
    const made = await testApp.call("POST", "/api/tokens", { as: person, json });
    const { token } = (await made.json()) as { token: string };
    const server = servePlainOhif({ origin, token });
    started.push(() => server.stop(true));
    await context?.close();
    context = await browser.newContext({ ...WITHOUT_WORKER, ...desk, locale: "en-US" });
    context.setDefaultTimeout(WAIT_MS);
    page = await context.newPage();
    const trouble = watchForTrouble(context);
    const warnings: string[] = [];
    page.on("response", (answer) => {
      const { warning } = answer.headers();
      if (warning !== undefined) warnings.push(warning);
    });
    await page.goto(server.url.href);
    await page.getByRole("button", { name: "Confirm and hide" }).click();
    await page.getByText("1-2 of 2").waitFor();
    await page.getByText("Gonçalves, João Antônio").first().click();
    await page.getByText("Axial encéfalo").waitFor();
    await page.getByText("Basic Viewer").click();
    expect(isPicture(await lookAtImage(page))).toBe(true);
    expect(trouble.filter((told) => told.includes("/dicomweb/"))).toEqual([]);
    expect(warnings).toEqual([]);
  },
  JOB_TIMEOUT_MS,
);
