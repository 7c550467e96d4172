import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { zipSync } from "fflate";
import type { Page } from "playwright-core";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import type { Person } from "../support/app/test-app.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  DESK,
  examsEntry,
  PHONE,
  tap,
} from "../support/browser/browser-app.ts";
import { drawn, visorOf } from "../support/browser/visor-page.ts";
import { sampleFile } from "../support/dicom/dicom-sample.ts";
import { ultrasound } from "../support/ultrasound-regions.ts";
import { until } from "../support/until.ts";

const RESULTS = join(import.meta.dir, "../../test-results");
const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 120_000;
const SIDE = 256;

let app: BrowserApp;
let person: Person;

const us = (value: number) => ({ vr: "US", Value: [value] });
const text = (vr: string, ...Value: unknown[]) => ({ vr, Value });

/** A frame of four pixels around the image, a bit each. */
function border(): Uint8Array {
  const bits = new Uint8Array((SIDE * SIDE) / 8);
  for (let at = 0; at < SIDE * SIDE; at++) {
    const [row, column] = [Math.floor(at / SIDE), at % SIDE];
    const isSet = Math.min(row, column, SIDE - 1 - row, SIDE - 1 - column) < 4;
    if (isSet) bits[at >>> 3] = (bits[at >>> 3] ?? 0) | (1 << (at & 7));
  }
  return bits;
}

function image(number: number, series: number, elements: Parameters<typeof sampleFile>[0]): Uint8Array {
  const pixels = Uint16Array.from({ length: SIDE * SIDE }, (_, at) => (at % SIDE) * 12);
  return sampleFile({
    [TagHex.StudyInstanceUID]: text("UI", "2.25.77"),
    [TagHex.SeriesInstanceUID]: text("UI", `2.25.77.${series}`),
    [TagHex.SOPInstanceUID]: text("UI", `2.25.77.${series}.${number}`),
    [TagHex.SeriesNumber]: text("IS", series),
    [TagHex.InstanceNumber]: text("IS", number),
    [TagHex.Rows]: us(SIDE),
    [TagHex.Columns]: us(SIDE),
    [TagHex.BitsStored]: us(12),
    [TagHex.HighBit]: us(11),
    [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(pixels.buffer) },
    ...elements,
  });
}

const overlay = {
  "60000010": us(SIDE),
  "60000011": us(SIDE),
  "60000040": text("CS", "G"),
  "60000050": text("SS", 1, 1),
  "60000100": us(1),
  "60000102": us(0),
  "60003000": { vr: "OW", bytes: border() },
};
const regions = ultrasound([{ from: [0, 0], to: [SIDE - 1, SIDE / 2 - 1], delta: [0.05, 0.05] }], {
  rows: SIDE,
  columns: SIDE,
});
/** Values from 1,536 on, the right half of the image, are red. */
const supplement = Object.fromEntries(
  (["Red", "Green", "Blue"] as const).flatMap((colour) => [
    [TagHex[`${colour}PaletteColorLookupTableDescriptor`], text("US", 1, 1_536, 16)],
    [
      TagHex[`${colour}PaletteColorLookupTableData`],
      { vr: "OW", bytes: Uint8Array.of(...(colour === "Red" ? [255, 255] : [0, 0])) },
    ],
  ]),
);
const zip = Buffer.from(
  zipSync({
    IM1: image(1, 1, overlay),
    IM2: image(2, 1, { [TagHex.ImageType]: text("CS", "ORIGINAL") }),
    IM4: image(1, 3, { ...supplement, [TagHex.PixelPresentation]: text("CS", "COLOR") }),
    IM3: image(1, 2, { ...(regions as object), [TagHex.Modality]: text("CS", "US") }),
  }),
);

beforeAll(async () => {
  app = await createBrowserApp("drawn-over");
  person = await app.addPerson("Olívia Traço", { plan: "familia" });
  await app.testApp.store(person, zip);
}, START_TIMEOUT_MS);
afterAll(() => app?.[Symbol.asyncDispose]());

const layer = (page: Page) => visorOf(page).locator(".visor-overlays canvas");

/** How many pixels the overlay sets. */
const setOn = (page: Page) =>
  layer(page).evaluate((canvas: HTMLCanvasElement) => {
    const { data = [] } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
    return [...data].filter((_, at) => at % 4 === 3).filter(Boolean).length;
  });

/** Draws a line at a part of the picture's height, from one part of its width to another, and says what is written beside it. */
async function measure(page: Page, from: [number, number], to: [number, number]): Promise<string | null> {
  const lengths = visorOf(page).locator(".visor-measures text");
  const before = await lengths.count();
  const film = await visorOf(page).locator(".visor-film").boundingBox();
  if (!film) throw new Error("no film");
  const side = Math.min(film.width, film.height);
  const [x, y] = [film.x + (film.width - side) / 2, film.y + (film.height - side) / 2];
  await page.mouse.move(x + from[0] * side, y + from[1] * side);
  await page.mouse.down();
  await page.mouse.move(x + to[0] * side, y + to[1] * side, { steps: 4 });
  await page.mouse.up();
  await until(async () => (await lengths.count()) === before + 1);
  return await lengths.last().textContent();
}

/** How many pixels of each kind the picture that "Salvar esta imagem" saves has. */
async function savedColours(page: Page): Promise<{ yellow: number; cyan: number }> {
  await button(page, "Mais opções").click();
  const saving = page.waitForEvent("download");
  await button(page.getByRole("dialog", { name: "Opções" }), "Salvar esta imagem").click();
  const bytes = [...(await Bun.file(await (await saving).path()).bytes())];
  return await page.evaluate(async (png) => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(png)], { type: "image/png" }));
    const pen = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    pen?.drawImage(picture, 0, 0);
    const { data = [] } = pen?.getImageData(0, 0, picture.width, picture.height) ?? {};
    const count = { yellow: 0, cyan: 0 };
    for (let at = 0; at < data.length; at += 4) {
      const [red = 0, green = 0, blue = 0] = [data[at], data[at + 1], data[at + 2]];
      if (red - blue > 100) count.yellow++;
      if (blue - red > 60 && green > 150) count.cyan++;
    }
    return count;
  }, bytes);
}

/** Red, green and blue in the middle of the film's height, at a part of its width. */
const colourAt = (page: Page, x: number) =>
  visorOf(page)
    .locator(".visor-film canvas")
    .evaluate((film: HTMLCanvasElement, part) => {
      const context = document.createElement("canvas").getContext("2d");
      context?.drawImage(film, -Math.round(film.width * part), -Math.round(film.height / 2));
      return [...(context?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3);
    }, x);

async function looksAt(page: Page, name: string): Promise<void> {
  await page.keyboard.press("Home");
  await layer(page).waitFor();
  await until(async () => (await setOn(page)) > 0);
  const [over, film] = [
    await layer(page).boundingBox(),
    await visorOf(page).locator(".visor-film").boundingBox(),
  ];
  const side = Math.min(film?.width ?? 0, film?.height ?? 0);
  expect(Math.abs((over?.width ?? 0) - side)).toBeLessThan(2);
  await page.screenshot({ path: join(RESULTS, `drawn-over-${name}.png`) });
  await page.keyboard.press("i");
  await until(async () => (await layer(page).count()) === 0);
  await page.keyboard.press("i");
  await layer(page).waitFor();
  await page.keyboard.press("End");
  await until(async () => (await layer(page).count()) === 0);
}

describe("what an exam draws over its images", () => {
  test(
    "is seen over them, is hidden by a key and by the menu, and is not on other images",
    async () => {
      await app.as(person, { device: PHONE }, async (page) => {
        await examsEntry(page).click();
        await page.locator("[data-opens]:visible").first().click();
        await drawn(page);
        await looksAt(page, "phone");
        await page.keyboard.press("Home");
        await layer(page).waitFor();
        await tap(page, button(page, "Mais opções"));
        const menu = page.getByRole("dialog", { name: "Opções" });
        expect(await button(menu, "Anotações").getAttribute("aria-pressed")).toBe("true");
        await page.screenshot({ path: join(RESULTS, "drawn-over-phone-menu.png") });
        await tap(page, button(menu, "Anotações"));
        await until(async () => (await layer(page).count()) === 0);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is in the picture that is saved, with the measures that are seen",
    async () => {
      await app.asVisitor({ device: DESK }, async (page) => {
        const files = page.getByLabel("ZIP ou imagens do exame");
        await files.setInputFiles({ name: "exame.zip", mimeType: "application/zip", buffer: zip });
        await drawn(page);
        await page.keyboard.press("Home");
        await layer(page).waitFor();
        await until(async () => (await setOn(page)) > 0);
        const overlaid = await savedColours(page);
        expect(overlaid.yellow).toBeGreaterThan(1_000);
        expect(overlaid.cyan).toBe(0);
        await page.keyboard.press("d");
        // The values rise by 12 from one column to the next, evenly about those of the middle.
        expect(await measure(page, [0.25, 0.25], [0.75, 0.75])).toMatch(/px², sem escalaMédia 1\.530.* · DP/);
        expect((await savedColours(page)).cyan).toBeGreaterThan(500);
        await page.screenshot({ path: join(RESULTS, "drawn-over-region.png") });
        await page.keyboard.press("Delete");
        await page.keyboard.press("i");
        await until(async () => (await layer(page).count()) === 0);
        expect(await savedColours(page)).toEqual({ yellow: 0, cyan: 0 });
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is seen over files of the device, whose ultrasound is measured within its regions alone",
    async () => {
      await app.asVisitor({ device: { ...DESK, viewport: { width: 1440, height: 900 } } }, async (page) => {
        const files = page.getByLabel("ZIP ou imagens do exame");
        await files.setInputFiles({ name: "exame.zip", mimeType: "application/zip", buffer: zip });
        await drawn(page);
        await looksAt(page, "desktop");
        await page.keyboard.press("ArrowRight");
        await visorOf(page).locator('canvas[data-slice="2.25.77.2.1/0"]').waitFor();
        await page.keyboard.press("r");
        expect(await measure(page, [0.25, 0.25], [0.75, 0.25])).toBe("64 mm");
        expect(await measure(page, [0.5, 0.25], [0.5, 0.75])).toBe("128 px, sem escala");
        await page.keyboard.press("d");
        expect(await measure(page, [0.25, 0.1], [0.75, 0.4])).toMatch(/^1\.9\d\d(,\d)? mm²/);
        expect(await measure(page, [0.4, 0.25], [0.6, 0.75])).toMatch(/px², sem escala/);
        await page.screenshot({ path: join(RESULTS, "drawn-over-ultrasound.png") });
        await page.keyboard.press("ArrowRight");
        await visorOf(page).locator('canvas[data-slice="2.25.77.3.1/0"]').waitFor();
        await until(async () => (await colourAt(page, 0.6)).join() === "255,0,0");
        const [red, green, blue] = await colourAt(page, 0.45);
        expect(red).toBeGreaterThan(0);
        expect([green, blue]).toEqual([red, red]);
        await page.screenshot({ path: join(RESULTS, "drawn-over-colours.png") });
        await page.keyboard.press("ArrowLeft");
        await visorOf(page).locator('canvas[data-slice="2.25.77.2.1/0"]').waitFor();
        await until(async () => new Set(await colourAt(page, 0.6)).size === 1);
      });
    },
    JOB_TIMEOUT_MS,
  );
});
