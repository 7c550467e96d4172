import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { writeReportPdf } from "../../scripts/demo/pdf.ts";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import type { Series } from "../../src/shared/api/studies.ts";
import type { Person } from "../support/app/test-app.ts";
import { violationsOn } from "../support/browser/axe.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  DESK,
  examsEntry,
  PHONE,
  tap,
} from "../support/browser/browser-app.ts";
import { doubleTap, holdAndMove, moveFingers } from "../support/browser/touch.ts";
import {
  apart,
  drawn,
  isLit,
  pressEscapeWhenThere,
  sightOf,
  visorOf,
} from "../support/browser/visor-page.ts";
import { codecStudy } from "../support/dicom/codec-study.ts";
import { formBody } from "../support/pdf/sample-pdf.ts";
import { until } from "../support/until.ts";

const RESULTS = join(import.meta.dir, "../../test-results");
const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
const SLICES = 12;
/** Of the earlier exam, which is compared with. */
const EARLIER_SLICES = 23;

let app: BrowserApp;
let person: Person;

beforeAll(async () => {
  app = await createBrowserApp("visor");
  person = await app.addPerson("Helena Visor", { plan: "familia" });
  const head = generateStudy({ kind: "ct-head", seed: "visor", size: 128, instances: SLICES });
  const { studies } = await app.testApp.store(person, await zipStudyBytes({ instances: head }));
  const earlier = { seed: "earlier", size: 64, instances: EARLIER_SLICES, studyDate: "20200502" } as const;
  const before = generateStudy({ kind: "ct-head", ...earlier });
  await app.testApp.store(person, await zipStudyBytes({ instances: before }));
  const pdf = writeReportPdf({
    patient: { name: "Helena Visor", birthDate: "14/03/1966" },
    title: "Tomografia computadorizada do crânio",
    paragraphs: ["Análise:", "Parênquima encefálico com atenuação preservada."],
    signature: "Dra. Lívia Monteiro Sá",
  });
  const form = await formBody({ studyInstanceUID: studies[0]?.id ?? "" }, { name: "laudo", bytes: pdf });
  const attached = await app.testApp.call("POST", "/api/studies/laudo/upload", { as: person, ...form });
  expect(attached.status).toBe(201);
}, START_TIMEOUT_MS);
afterAll(() => app?.[Symbol.asyncDispose]());

const number = (page: Page) => visorOf(page).locator(".visor-number").textContent();
const windowOf = (page: Page) => visorOf(page).locator(".visor-mono").first().textContent();
const slice = (page: Page) => visorOf(page).locator("canvas").getAttribute("data-slice");
const picture = (name: string) => ({ path: join(RESULTS, `visor-${name}.png`) });

const layerOf = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => Number(getComputedStyle(element).zIndex));

/** Prefers the visor on this device. */
const prefer = {
  prepare: (context: { addInitScript(script: () => void): Promise<unknown> }) =>
    context.addInitScript(() => {
      // The empty page before the first address has no storage.
      if (location.protocol !== "about:") localStorage.setItem("viewer", "visor");
    }),
};

/** Takes the page's graphics away for a moment, as a phone does. */
async function loseGraphics(page: Page): Promise<void> {
  await visorOf(page)
    .locator("canvas")
    .first()
    .evaluate(async (canvas: HTMLCanvasElement) => {
      const graphics = canvas.getContext("webgl2")?.getExtension("WEBGL_lose_context");
      const lost = new Promise((resolve) => canvas.addEventListener("webglcontextlost", resolve));
      graphics?.loseContext();
      await lost;
      // Not before all listeners have run: one of them asks for the graphics to come back.
      await new Promise((resolve) => setTimeout(resolve));
      const { promise: restored, resolve } = Promise.withResolvers<void>();
      canvas.addEventListener("webglcontextrestored", () => resolve());
      // A busy machine may have no graphics to give at once.
      const asking = setInterval(() => graphics?.restoreContext(), 500);
      graphics?.restoreContext();
      await restored;
      clearInterval(asking);
    });
}

/** The mean grey level of what is drawn around the middle of the film. */
async function levelInMiddle(page: Page): Promise<number> {
  const canvas = visorOf(page).locator("canvas").first();
  return await canvas.evaluate((film: HTMLCanvasElement) => {
    const side = 8;
    const small = document.createElement("canvas");
    small.width = small.height = side;
    const context = small.getContext("2d");
    const [left, top] = [(film.width - side) / 2, (film.height - side) / 2];
    context?.drawImage(film, left, top, side, side, 0, 0, side, side);
    const { data = [] } = context?.getImageData(0, 0, side, side) ?? {};
    const levels = Array.from({ length: side ** 2 }, (_, at) => data[at * 4] ?? 0);
    return levels.reduce((sum, level) => sum + level, 0) / levels.length;
  });
}

async function openExam(page: Page): Promise<void> {
  await examsEntry(page).click();
  await page.locator("[data-opens]:visible").first().click();
  await drawn(page);
}

describe("the visor on a phone", () => {
  test(
    "starts at the middle slice; fingers scroll, enlarge, move, set the window and choose the series",
    async () => {
      await app.as(person, { device: PHONE }, async (page) => {
        await openExam(page);
        expect(await number(page)).toBe("6/12");
        const middle = await sightOf(page);
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot(picture("phone"));

        await moveFingers(page, { from: { x: 160, y: 300 }, to: { x: 160, y: 340 } });
        await until(async () => /^(8|9|1\d)\/12$/.test((await number(page)) ?? ""));
        await until(async () => (await sightOf(page)) !== middle);
        await moveFingers(page, { from: { x: 160, y: 400 }, to: { x: 160, y: 200 } });
        await until(async () => (await number(page)) === "1/12");

        const whole = await sightOf(page);
        const apart = [
          { from: { x: 140, y: 320 }, to: { x: 60, y: 320 } },
          { from: { x: 200, y: 320 }, to: { x: 300, y: 320 } },
        ];
        await moveFingers(page, ...apart);
        await until(async () => (await sightOf(page)) !== whole);
        const enlarged = await sightOf(page);
        await moveFingers(
          page,
          { from: { x: 120, y: 300 }, to: { x: 180, y: 360 } },
          { from: { x: 220, y: 300 }, to: { x: 280, y: 360 } },
        );
        await until(async () => (await sightOf(page)) !== enlarged);
        await doubleTap(page, { x: 160, y: 320 });
        await until(async () => (await sightOf(page)) === whole);
        await doubleTap(page, { x: 160, y: 320 });
        await until(async () => (await sightOf(page)) !== whole);
        await doubleTap(page, { x: 160, y: 320 });
        await until(async () => (await sightOf(page)) === whole);
        expect(await number(page)).toBe("1/12");

        const proposed = await windowOf(page);
        await holdAndMove(page, { from: { x: 160, y: 320 }, to: { x: 220, y: 280 } });
        await until(async () => (await windowOf(page)) !== proposed);
        await tap(page, button(page, "Osso"));
        await until(async () => (await windowOf(page)) === "C 500 L 2000");

        const box = await visorOf(page).getByRole("slider", { name: "Imagem" }).boundingBox();
        if (!box) throw new Error("no slider");
        const x = box.x + box.width / 2;
        await moveFingers(page, { from: { x, y: box.y + 20 }, to: { x, y: box.y + box.height - 1 } });
        await until(async () => (await number(page)) === "12/12");

        await page.touchscreen.tap(160, 320);
        await visorOf(page).and(page.locator(".has-no-bars")).waitFor();
        await page.touchscreen.tap(160, 320);
        await visorOf(page).and(page.locator(":not(.has-no-bars)")).waitFor();

        const strip = visorOf(page).getByRole("navigation", { name: "Séries" });
        const bone = strip.getByRole("button", { name: /^Axial osso/ });
        await tap(page, bone);
        await until(async () => (await bone.getAttribute("aria-current")) === "true");
        await until(async () => isLit(await sightOf(page)));
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "keeps the film in sight over the report; the menu leads to the information and to OHIF",
    async () => {
      await app.as(person, { device: PHONE }, async (page) => {
        await openExam(page);
        await tap(page, button(page, "Laudo"));
        const report = page.getByRole("dialog", { name: "Laudo" });
        await report.locator("canvas").first().waitFor();
        await page.screenshot(picture("phone-report"));
        const film = await visorOf(page).locator(".visor-film").boundingBox();
        const sheet = await report.boundingBox();
        expect((film?.y ?? 0) + (film?.height ?? 999)).toBeLessThanOrEqual((sheet?.y ?? 0) + 1);
        const before = await number(page);
        await moveFingers(page, { from: { x: 160, y: 200 }, to: { x: 160, y: 250 } });
        await until(async () => (await number(page)) !== before);
        await tap(page, button(report, "Fechar"));
        await report.waitFor({ state: "detached" });

        const menu = page.getByRole("dialog", { name: "Opções" });
        await tap(page, button(page, "Mais opções"));
        await menu.waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot(picture("phone-menu"));
        await tap(page, button(menu, "Informações"));
        const facts = page.getByRole("dialog", { name: "Informações" });
        await facts.getByText("SOP Instance UID").waitFor();
        await page.screenshot(picture("phone-information"));
        const top = await facts.boundingBox();
        const [x, y] = [120, (top?.y ?? 0) + 20];
        await moveFingers(page, { from: { x, y }, to: { x, y: y + 120 } });
        await facts.waitFor({ state: "detached" });

        const shared = page.getByRole("dialog", { name: "Compartilhar exame" });
        await tap(page, button(page, "Mais opções"));
        await tap(page, button(menu, "Compartilhar"));
        await shared.waitFor();
        // What lies under a modal dialog takes no press, so only the layers say whether the dialog is seen.
        const layers = await Promise.all([".visor", ".scrim"].map((name) => layerOf(page, name)));
        expect(layers[0]).toBeLessThan(layers[1] ?? 0);
        await tap(page, button(shared, "Fechar"));
        await shared.waitFor({ state: "detached" });
        await tap(page, button(page, "Mais opções"));
        await tap(page, menu.getByRole("button", { name: /^Abrir no OHIF/ }));
        await page.locator("iframe").waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );
});

describe("the film of a series", () => {
  const boneFilm = (page: Page) => page.locator(".series-card", { hasText: "Axial osso" });

  test(
    "opens the exam with that series in the visor, also where graphics take no programs",
    async () => {
      const prepare = async (context: BrowserContext) => {
        await prefer.prepare(context);
        await context.addInitScript(() => {
          WebGL2RenderingContext.prototype.linkProgram = () => undefined;
        });
      };
      await app.as(person, { device: DESK, prepare }, async (page) => {
        await examsEntry(page).click();
        await button(page, /^Séries de/)
          .first()
          .click();
        await boneFilm(page).click();
        await drawn(page);
        const bone = visorOf(page).getByRole("button", { name: /^Axial osso/ });
        await until(async () => (await bone.getAttribute("aria-current")) === "true");
        await page.keyboard.press("Escape");
        await visorOf(page).waitFor({ state: "detached" });

        await page.locator("[data-opens]:visible").first().click();
        await drawn(page);
        await bone.waitFor();
        expect(await bone.getAttribute("aria-current")).not.toBe("true");
      });
    },
    JOB_TIMEOUT_MS,
  );

  test.each([
    ["come back without programs", true],
    ["do not come back", false],
  ])(
    "is drawn on when its graphics are taken away and %s",
    async (_, isRestored) => {
      await app.as(person, { device: DESK, ...prefer }, async (page) => {
        await openExam(page);
        const seen = await sightOf(page);
        const canvas = visorOf(page).locator("canvas").first();
        await canvas.evaluate((lost: HTMLCanvasElement, restores) => {
          WebGL2RenderingContext.prototype.linkProgram = () => undefined;
          const graphics = lost.getContext("webgl2")?.getExtension("WEBGL_lose_context");
          const again = () => setTimeout(() => graphics?.restoreContext(), 500);
          if (restores) lost.addEventListener("webglcontextlost", again);
          graphics?.loseContext();
        }, isRestored);
        await until(async () => !isLit(await sightOf(page)));
        await drawn(page);
        expect(apart(await sightOf(page), seen)).toBeLessThan(1);
        expect(await canvas.getAttribute("aria-label")).toBe("Imagem do exame");
        await page.keyboard.press("End");
        await until(async () => (await number(page)) === `${SLICES}/${SLICES}`);
        await until(async () => apart(await sightOf(page), seen) > 1);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "gives its graphics back once it is closed",
    async () => {
      await app.as(person, { device: DESK, ...prefer }, async (page) => {
        await openExam(page);
        const canvas = await visorOf(page).locator("canvas").first().elementHandle();
        const isGivenBack = async () =>
          await canvas?.evaluate((film) => (film as HTMLCanvasElement).getContext("webgl2")?.isContextLost());
        expect(await isGivenBack()).toBe(false);
        await page.keyboard.press("Escape");
        await visorOf(page).waitFor({ state: "detached" });
        expect(await isGivenBack()).toBe(true);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "opens the exam with that series in OHIF",
    async () => {
      await app.as(person, { device: DESK }, async (page) => {
        await examsEntry(page).click();
        await button(page, /^Séries de/)
          .first()
          .click();
        await boneFilm(page).click();
        const address = await page.locator(".viewer-stage iframe").getAttribute("src");
        const { searchParams } = new URL(address ?? "", page.url());
        const listed = await app.testApp.call(
          "GET",
          `/api/studies/${searchParams.get("StudyInstanceUIDs")}/series`,
          {
            as: person,
          },
        );
        const series = (await listed.json()) as Series[];
        const bone = series.find(({ seriesDescription }) => seriesDescription === "Axial osso");
        expect(bone?.seriesInstanceUID).toBeString();
        expect(searchParams.get("initialSeriesInstanceUID")).toBe(String(bone?.seriesInstanceUID));
      });
    },
    JOB_TIMEOUT_MS,
  );
});

describe("the way back on a phone", () => {
  test(
    "closes the report, the information or the menu first, and then the visor",
    async () => {
      await app.as(person, { device: PHONE }, async (page) => {
        await openExam(page);
        const laudo = page.getByRole("dialog", { name: "Laudo" });
        const menu = page.getByRole("dialog", { name: "Opções" });
        const facts = page.getByRole("dialog", { name: "Informações" });
        const isGone = async (sheet: Locator) => {
          await sheet.waitFor({ state: "detached" });
          expect(await visorOf(page).locator("canvas[data-slice]").count()).toBe(1);
        };
        await tap(page, button(page, "Laudo"));
        await laudo.waitFor();
        await tap(page, button(page, "Mais opções"));
        await menu.waitFor();
        await page.goBack();
        await isGone(menu);
        await laudo.waitFor();
        await page.goBack();
        await isGone(laudo);
        await page.goForward();
        await laudo.waitFor();
        await tap(page, button(laudo, "Fechar"));
        await isGone(laudo);

        await tap(page, button(page, "Mais opções"));
        await tap(page, button(menu, "Informações"));
        await facts.waitFor();
        await page.goBack();
        await isGone(facts);
        expect(await menu.count()).toBe(0);

        const shared = page.getByRole("dialog", { name: "Compartilhar exame" });
        await tap(page, button(page, "Mais opções"));
        await tap(page, button(menu, "Compartilhar"));
        await shared.waitFor();
        await page.goBack();
        await isGone(shared);
        expect(await menu.count()).toBe(0);

        const placeOf = () => page.evaluate(() => String(history.state.place));
        const inVisor = await placeOf();
        await tap(page, button(page, "Laudo"));
        await laudo.waitFor();
        await tap(page, button(page, "Voltar"));
        await visorOf(page).waitFor({ state: "detached" });
        // The browser arrives at the list a while after it is drawn.
        await until(async () => (await placeOf()) !== inVisor);
        await page.goForward();
        await drawn(page);
        await page.goBack();
        await visorOf(page).waitFor({ state: "detached" });
        await page.locator("[data-opens]:visible").first().waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );
});

describe("a measurement on a phone", () => {
  test(
    "is drawn by a drag, stays when the tool ends, and goes away by the reset of the menu",
    async () => {
      await app.as(person, { device: PHONE }, async (page) => {
        await openExam(page);
        const place = await number(page);
        const menu = page.getByRole("dialog", { name: "Opções" });
        const lengths = visorOf(page).locator(".visor-measures text");
        await tap(page, button(page, "Mais opções"));
        await tap(page, button(menu, "Medir"));
        await page.getByText("Toque em dois pontos").waitFor();
        expect(await page.getByText("Arraste para cima ou para baixo").count()).toBe(0);
        await moveFingers(page, { from: { x: 260, y: 320 }, to: { x: 100, y: 330 } });
        await lengths.filter({ hasText: "mm" }).waitFor();
        await moveFingers(page, { from: { x: 100, y: 280 }, to: { x: 260, y: 282 } });
        await until(async () => (await lengths.count()) === 2);
        const label = await lengths.last().boundingBox();
        const sliderNumber = await visorOf(page).locator(".visor-number").boundingBox();
        expect((label?.x ?? 0) + (label?.width ?? 0)).toBeLessThan(sliderNumber?.x ?? 0);
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot(picture("phone-measured"));
        await tap(page, button(page, "Apagar a última medida"));
        await until(async () => (await lengths.count()) === 1);
        await tap(page, button(page, "Mais opções"));
        expect(await button(menu, "Medir").getAttribute("aria-pressed")).toBe("true");
        await page.screenshot(picture("phone-menu-measuring"));
        await page.goBack();
        await menu.waitFor({ state: "detached" });
        await tap(page, button(page, "Concluir"));
        await button(page, "Concluir").waitFor({ state: "detached" });
        expect(await lengths.count()).toBe(1);
        expect(await number(page)).toBe(place);

        await tap(page, button(page, "Mais opções"));
        await tap(page, button(menu, "Medir"));
        await tap(page, button(page, "Mais opções"));
        await tap(page, button(menu, "Voltar ao original"));
        await tap(page, button(menu, "Fechar"));
        await menu.waitFor({ state: "detached" });
        expect(await lengths.count()).toBe(0);
        expect(await button(page, "Concluir").count()).toBe(0);
      });
    },
    JOB_TIMEOUT_MS,
  );
});

describe("the visor on a phone without one of the images", () => {
  test(
    "says which one, keeps the windows, and has nothing left to wait for",
    async () => {
      const expected = [/503/];
      await app.as(person, { device: PHONE, expected }, async (page) => {
        let lost: string | undefined;
        await page.route(/\/frames\//, (route) => {
          const [frame] = route.request().url().split("?");
          lost ??= frame;
          return frame === lost ? route.fulfill({ status: 503, body: "" }) : route.continue();
        });
        await page.route(/\/first-image\/frame$/, (route) => route.fulfill({ status: 503, body: "" }));
        await examsEntry(page).click();
        await page.locator("[data-opens]:visible").first().click();
        await page.getByText("A imagem 6 não chegou").waitFor();
        expect(await windowOf(page)).toBe("C 40 L 80");
        expect(await button(page, "Cérebro").getAttribute("aria-pressed")).toBe("true");
        expect(await button(page, "Osso").isVisible()).toBe(true);
        const chip = await button(page, "Osso").boundingBox();
        const over = { x: (chip?.x ?? 0) + 4, y: (chip?.y ?? 0) - 4 };
        const hit = await page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.textContent, over);
        expect(hit).toBe("Osso");
        expect(await violationsOn(page)).toEqual([]);
        await page.keyboard.press("ArrowDown");
        await until(async () => isLit(await sightOf(page)));
        await until(async () => (await visorOf(page).locator(".visor-progress").count()) === 0);
      });
    },
    JOB_TIMEOUT_MS,
  );
});

describe("the visor on a phone that reads nothing", () => {
  test(
    "says so on black, says that there is no connection, and opens by itself once there is one",
    async () => {
      const expected = [/503/, /ERR_INTERNET_DISCONNECTED/];
      await app.as(person, { device: PHONE, expected }, async (page) => {
        const answers = /\/dicomweb\/|\/first-image/;
        await page.route(answers, (route) => route.fulfill({ status: 503, body: "" }));
        await examsEntry(page).click();
        await page.locator("[data-opens]:visible").first().click();
        const problem = visorOf(page).getByRole("alert");
        await problem.getByText("Não foi possível abrir o exame").waitFor();
        expect(await visorOf(page).locator(".visor-preview").count()).toBe(0);
        await page.context().setOffline(true);
        await problem.getByText("Sem conexão").waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot(picture("phone-offline"));
        await page.unroute(answers);
        await page.context().setOffline(false);
        await drawn(page);
        await problem.waitFor({ state: "detached" });
      });
    },
    JOB_TIMEOUT_MS,
  );
});

/** Opens the exam. Returns the middle of its film on the page. */
async function openAtMiddle(page: Page): Promise<{ x: number; y: number }> {
  await openExam(page);
  const film = await visorOf(page).locator(".visor-film").boundingBox();
  if (!film) throw new Error("no film");
  return { x: film.x + film.width / 2, y: film.y + film.height / 2 };
}

describe("the visor on a desktop", () => {
  test(
    "keeps what is in the middle of an enlarged image there when it is turned and mirrored",
    async () => {
      await app.as(person, { device: DESK, ...prefer }, async (page) => {
        const { x, y } = await openAtMiddle(page);
        const middleOf = (sight: string) => {
          const levels = sight.split(",").map(Number);
          const side = Math.sqrt(levels.length);
          const around = [side / 2 - 1, side / 2];
          return around.flatMap((row) => around.map((column) => levels[row * side + column] ?? 0));
        };
        const mean = (levels: number[]) => levels.reduce((sum, level) => sum + level, 0) / levels.length;
        const pressed = async (key: string) => {
          const before = await sightOf(page);
          await page.keyboard.press(key);
          await until(async () => (await sightOf(page)) !== before);
        };
        for (const key of ["+", "+", "+", "+"]) await pressed(key);
        await page.mouse.move(x, y);
        await page.mouse.down({ button: "middle" });
        await page.mouse.move(x + 170, y + 20, { steps: 6 });
        await page.mouse.up({ button: "middle" });
        const middle = mean(middleOf(await sightOf(page)));
        for (const key of ["g", "e", "g", "g"]) {
          await pressed(key);
          expect(Math.abs(mean(middleOf(await sightOf(page))) - middle)).toBeLessThan(4);
        }
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "keeps what is in the middle of an enlarged image there when the window has another size",
    async () => {
      await app.as(person, { device: DESK, ...prefer }, async (page) => {
        const { x, y } = await openAtMiddle(page);
        for (let presses = 0; presses < 5; presses++) await page.keyboard.press("+");
        await page.mouse.move(x, y);
        await page.mouse.down({ button: "middle" });
        await page.mouse.move(x + 300, y - 200, { steps: 6 });
        await page.mouse.up({ button: "middle" });
        const level = await levelInMiddle(page);
        for (const size of [{ width: 1280, height: 460 }, { width: 420, height: 900 }, DESK.viewport]) {
          const before = await sightOf(page);
          await page.setViewportSize(size);
          await until(async () => (await sightOf(page)) !== before);
          await until(async () => Math.abs((await levelInMiddle(page)) - level) < 8);
        }
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "obeys the wheel, the buttons of the mouse and the keys",
    async () => {
      await app.as(person, { device: DESK, loadsAhead: true, ...prefer }, async (page) => {
        await openExam(page);
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot(picture("desktop"));
        const pressed = async (key: string, place: string) => {
          await page.keyboard.press(key);
          await until(async () => (await number(page)) === place);
        };
        await pressed("ArrowDown", "7/12");
        await pressed("ArrowUp", "6/12");
        await pressed("End", "12/12");
        await pressed("PageUp", "2/12");
        await pressed("Home", "1/12");
        await page.keyboard.press("2");
        await until(async () => (await windowOf(page)) === "C 500 L 2000");
        for (const key of ["n", "g", "e", "+"]) {
          const before = await sightOf(page);
          await page.keyboard.press(key);
          await until(async () => (await sightOf(page)) !== before);
        }
        const enlarged = await sightOf(page);
        await page.keyboard.press("o");
        await until(async () => (await windowOf(page)) !== "C 500 L 2000");
        await until(async () => (await sightOf(page)) !== enlarged);
        const kept = await sightOf(page);
        await loseGraphics(page);
        await until(async () => (await sightOf(page)) === kept);

        const film = await visorOf(page).locator(".visor-film").boundingBox();
        if (!film) throw new Error("no film");
        const [x, y] = [film.x + film.width / 2, film.y + film.height / 2];
        await page.mouse.move(x, y);
        await page.mouse.wheel(0, 120);
        await until(async () => (await number(page)) === "2/12");
        const proposed = await windowOf(page);
        const drag = async (held: "left" | "middle" | "right") => {
          await page.mouse.move(x, y);
          await page.mouse.down({ button: held });
          await page.mouse.move(x + 40, y + 60, { steps: 6 });
          await page.mouse.up({ button: held });
        };
        await drag("right");
        await until(async () => (await windowOf(page)) !== proposed);
        const still = await sightOf(page);
        await drag("middle");
        await until(async () => (await sightOf(page)) !== still);
        expect(await number(page)).toBe("2/12");
        await drag("left");
        await until(async () => (await number(page)) !== "2/12");

        await page.keyboard.press("r");
        await page.mouse.click(x - 60, y);
        await page.mouse.click(x + 60, y);
        const lengths = visorOf(page).locator(".visor-measures text");
        await lengths.filter({ hasText: "mm" }).waitFor();
        const place = await number(page);
        const series = await visorOf(page).locator(".visor-series[aria-current]").getAttribute("aria-label");
        await page.mouse.move(x - 90, y + 40);
        await page.mouse.down();
        await page.mouse.move(x + 90, y + 40, { steps: 6 });
        await page.mouse.up();
        await until(
          async () => (await lengths.allTextContents()).filter((text) => text.endsWith("mm")).length === 2,
        );
        expect(await number(page)).toBe(place);
        await visorOf(page).locator(`.visor-series[aria-current][aria-label="${series}"]`).waitFor();
        await page.screenshot(picture("desktop-measured"));
        await page.keyboard.press("Delete");
        await until(async () => (await lengths.count()) === 1);
        await page.keyboard.press("Backspace");
        await until(async () => (await lengths.count()) === 0);
        await page.mouse.click(x, y);
        await until(async () => (await lengths.count()) === 1);
        await page.keyboard.press("o");
        await until(async () => (await lengths.count()) === 0);
        const scrolls = button(page, "Passar imagens (P)");
        await until(async () => (await scrolls.getAttribute("aria-pressed")) === "true");
        await page.keyboard.press("r");
        await page.keyboard.press("Escape");
        await page.keyboard.press("l");
        await page.getByRole("dialog", { name: "Laudo" }).locator("canvas").first().waitFor();
        await page.screenshot(picture("desktop-report"));
        await page.keyboard.press("l");
        await page.getByRole("dialog", { name: "Laudo" }).waitFor({ state: "detached" });
        const menuButton = button(page, "Mais opções");
        const hasFocus = () => menuButton.evaluate((element) => element === document.activeElement);
        await menuButton.focus();
        await page.keyboard.press("Enter");
        await page.getByRole("dialog", { name: "Opções" }).waitFor();
        await page.keyboard.press("Escape");
        await until(hasFocus);
        await page.keyboard.press("Enter");
        await button(page, "Informações").press("Enter");
        await page.getByRole("dialog", { name: "Informações" }).waitFor();
        await page.keyboard.press("Escape");
        await until(hasFocus);
        await page.keyboard.press("Enter");
        await button(page, "Informações").waitFor();
        await pressEscapeWhenThere(page, ".visor-sheet dl");
        await button(page, "Informações").press("Enter");
        await page.locator("body[data-pressed]").waitFor();
        await until(hasFocus);
        await page.keyboard.press("Escape");
        await visorOf(page).waitFor({ state: "detached" });
      });
    },
    JOB_TIMEOUT_MS,
  );
});

describe("two exams side by side", () => {
  test(
    "scroll together by touch, wheel and keys; window, series and report are of the side in use; Escape leaves",
    async () => {
      const tablet = { viewport: { width: 1024, height: 768 }, hasTouch: true };
      await app.as(person, { device: tablet }, async (page) => {
        await openExam(page);
        await tap(page, button(page, "Comparar"));
        const halves = visorOf(page).locator(".visor-half");
        const numbers = async () => (await halves.locator(".visor-number").allTextContents()).join(" ");
        await until(async () => (await numbers()) === "6/12 11/23");
        await halves.nth(1).locator("canvas[data-slice]").waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot(picture("compared"));
        await page.keyboard.press("ArrowDown");
        await until(async () => (await numbers()) === "7/12 13/23");

        const [own, other] = [await halves.nth(0).boundingBox(), await halves.nth(1).boundingBox()];
        if (!own || !other) throw new Error("no halves");
        const [x, y] = [other.x + other.width / 2, other.y + other.height / 2];
        await moveFingers(page, { from: { x, y }, to: { x, y: y - 40 } });
        await until(async () => !(await numbers()).startsWith("7/12"));
        const windows = halves.locator(".visor-mono");
        const proposed = await windows.allTextContents();
        await page.keyboard.press("2");
        await until(async () => (await windows.nth(1).textContent()) === "C 500 L 2000");
        expect(await windows.nth(0).textContent()).toBe(proposed[0] ?? "");
        await page.keyboard.press("l");
        await page.getByText("Este exame ainda não tem laudo.").waitFor();
        await page.keyboard.press("x");
        await page.getByRole("dialog", { name: "Laudo" }).locator("canvas").first().waitFor();
        await page.screenshot(picture("compared-report"));
        await page.keyboard.press("l");
        await page.getByRole("dialog", { name: "Laudo" }).waitFor({ state: "detached" });

        await tap(page, button(page, "Rolagem ligada"));
        await button(page, "Rolagem solta").waitFor();
        await page.keyboard.press("Home");
        const [, alone = ""] = (await numbers()).split(" ");
        await until(async () => (await numbers()) === `1/12 ${alone}`);
        await tap(page, button(page, "Rolagem solta"));
        await button(page, "Rolagem ligada").waitFor();
        await page.keyboard.press("ArrowDown");
        await until(async () => (await numbers()).startsWith("2/12"));
        await until(async () => !(await numbers()).endsWith(` ${alone}`));

        await page.keyboard.press("Escape");
        await halves.first().waitFor({ state: "detached" });
        expect(await number(page)).toBe("2/12");
        await page.goForward();
        await halves.nth(1).locator("canvas[data-slice]").waitFor();
        await page.goBack();
        await halves.first().waitFor({ state: "detached" });
        expect(await number(page)).toBe("2/12");
        await page.goBack();
        await visorOf(page).waitFor({ state: "detached" });
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "are one above the other on a phone, scroll together, and leave room for a report",
    async () => {
      await app.as(person, { device: PHONE }, async (page) => {
        await openExam(page);
        const menu = page.getByRole("dialog", { name: "Opções" });
        await tap(page, button(page, "Mais opções"));
        await tap(page, menu.getByRole("button", { name: /^Comparar com exame anterior/ }));
        const halves = visorOf(page).locator(".visor-half");
        const numbers = async () => (await halves.locator(".visor-number").allTextContents()).join(" ");
        await until(async () => (await numbers()) === "6/12 11/23");
        await halves.nth(1).locator("canvas[data-slice]").waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot(picture("phone-compared"));
        const [own, other] = [await halves.nth(0).boundingBox(), await halves.nth(1).boundingBox()];
        if (!own || !other) throw new Error("no halves");
        expect(other.y).toBeGreaterThanOrEqual(own.y + own.height);
        const [x, y] = [other.x + 160, other.y + 100];
        await moveFingers(page, { from: { x, y }, to: { x, y: y + 60 } });
        await until(async () => !(await numbers()).startsWith("6/12"));
        const strip = visorOf(page).locator(".visor-strip .visor-series");
        await until(async () => (await strip.last().getAttribute("aria-label"))?.includes("23") === true);
        await tap(page, halves.nth(0).locator(".visor-film"));
        await tap(page, button(page, "Laudo"));
        const laudo = page.getByRole("dialog", { name: "Laudo" });
        await laudo.locator("canvas").first().waitFor();
        await page.screenshot(picture("phone-compared-report"));
        expect(await halves.nth(1).isVisible()).toBe(false);
        await page.goBack();
        await laudo.waitFor({ state: "detached" });
        await page.goBack();
        await halves.first().waitFor({ state: "detached" });
        await page.goBack();
        await visorOf(page).waitFor({ state: "detached" });
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "of a link are the link's own, and the way back leaves the comparison first",
    async () => {
      const rows = await app.testApp.sql<{ id: string }[]>`
        select id from studies where account_id = ${person.id} order by study_date desc`;
      const made = await app.testApp.call("POST", "/api/links", {
        as: person,
        json: { studyIds: rows.map(({ id }) => id), passcode: false },
      });
      const { url }: { url: string } = await made.json();
      await app.asVisitor({ device: DESK }, async (page) => {
        const { pathname, hash } = new URL(url);
        await page.goto(`${app.origin}${pathname}${hash}`);
        await button(page, "Ver imagens").first().click();
        await drawn(page);
        const halves = visorOf(page).locator(".visor-half");
        await button(page, "Comparar").click();
        await until(async () => {
          const numbers = await halves.locator(".visor-number").allTextContents();
          return numbers.join(" ") === "6/12 11/23";
        });
        await halves.nth(1).locator("canvas[data-slice]").waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await page.screenshot(picture("compared-link"));
        await page.goBack();
        await halves.first().waitFor({ state: "detached" });
        await visorOf(page).locator("canvas[data-slice]").waitFor();
        await page.goBack();
        await visorOf(page).waitFor({ state: "detached" });
        expect(await button(page, "Ver imagens").count()).toBeGreaterThan(0);
      });
    },
    JOB_TIMEOUT_MS,
  );
});

describe("the visor's decoders", () => {
  test(
    "draw every syntax in workers that the page's policy lets in, and play a film",
    async () => {
      const { zip, series } = await codecStudy();
      const owner = await app.addPerson("Otávio Sintaxe", { plan: "familia" });
      await app.testApp.store(owner, zip);
      await app.as(owner, { device: DESK, loadsAhead: true, ...prefer }, async (page) => {
        await openExam(page);
        const items = visorOf(page).locator(".visor-column .visor-series");
        expect(await items.count()).toBe(series.length);
        const sights: string[] = [];
        for (const [at, { name, like, within }] of series.entries()) {
          const drawnBefore = await slice(page);
          if ((await items.nth(at).getAttribute("aria-current")) === null) {
            await items.nth(at).click();
            await until(async () => (await slice(page)) !== drawnBefore);
          }
          const sight = await sightOf(page);
          sights.push(sight);
          const isAsBefore = isLit(sight) && apart(sight, sights[like] ?? "") <= within;
          expect([name, isAsBefore]).toEqual([name, true]);
          if (name !== "Filme") continue;
          await visorOf(page).getByRole("button", { name: "Continuar" }).click();
          await until(async () => apart(await sightOf(page), sight) > 4);
          await visorOf(page).getByRole("button", { name: "Pausar" }).click();
        }
      });
    },
    JOB_TIMEOUT_MS,
  );
});
