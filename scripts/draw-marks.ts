import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { type Locale, locales } from "../src/shared/locale.ts";
import { launchBrowser } from "../test/support/browser/browser.ts";

/**
 * Draws PNGs: the product's marks, for programs that cannot show the SVG; the picture of the home page; and the card that messengers
 * show beside a link. The card shows no name, because every installation may have its own. Run `bun scripts/draw-marks.ts` when the
 * look changes.
 */
const root = resolve(import.meta.dir, "..");
const out = join(root, "src/client/marks");
const url = (path: string) => pathToFileURL(join(root, path)).href;

const TAGLINES: Record<Locale, { title: string; text: string }> = {
  "pt-BR": {
    title: "Seus exames, seguros e à mão.",
    text: "Exames de imagem e laudos em um só lugar: envie, abra, baixe e compartilhe.",
  },
  "en-US": {
    title: "Your exams, kept safe and close at hand.",
    text: "Imaging exams and reports in one place: upload, open, download and share.",
  },
};

const SLICES = `
  <rect x="6" y="6" width="14" height="3.4" rx="1" fill="#ecfbfe"/>
  <rect x="6" y="11.3" width="10.5" height="3.4" rx="1" fill="#ecfbfe" opacity=".62"/>
  <rect x="6" y="16.6" width="14" height="3.4" rx="1" fill="#ecfbfe" opacity=".34"/>`;

/** `inset`: the share of the side that stays free around the mark, for platforms that cut out their own shape. */
function markPage(sizePx: number, { radius = 0, inset = 0 }: { radius?: number; inset?: number }): string {
  const room = (26 * inset) / (1 - 2 * inset);
  const view = [-room, -room, 26 + 2 * room, 26 + 2 * room].join(" ");
  return `<!doctype html><style>html, body { margin: 0; background: transparent } svg { display: block }</style>
    <svg xmlns="http://www.w3.org/2000/svg" width="${sizePx}" height="${sizePx}" viewBox="${view}">
      <rect x="${-room}" y="${-room}" width="100%" height="100%" rx="${radius}" fill="#05070a"/>${SLICES}
    </svg>`;
}

/** Slices on a shelf, seen from the side, the top one lit: the picture of the home page. */
function storagePage(widthPx: number): string {
  const slices = [3, 2, 1, 0].map(
    (
      slice,
    ) => `<path d="M100 ${27 + slice * 20} 164 ${51 + slice * 20} 100 ${75 + slice * 20} 36 ${51 + slice * 20}z"
      fill="oklch(${0.24 + 0.13 * (3 - slice)} 0.03 225)" stroke="oklch(.985 .008 210)" stroke-width="2"/>`,
  );
  return `<!doctype html><style>html, body { margin: 0; background: transparent } svg { display: block }</style>
    <svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" viewBox="0 0 200 150">${slices.join("")}</svg>`;
}

function cardPage(locale: Locale): string {
  const { title, text } = TAGLINES[locale];
  return `<!doctype html><html lang="${locale}" data-theme="dark">
    <link rel="stylesheet" href="${url("src/client/styles/tokens.css")}">
    <style>
      @font-face { font-family: "Instrument Sans"; font-weight: 400 700;
        src: url("${url("src/client/styles/fonts/instrument-sans.woff2")}") }
      body { position: relative; width: 1200px; height: 630px; margin: 0; overflow: hidden; color: var(--ink);
        background: radial-gradient(120% 110% at 78% 45%, oklch(0.27 0.018 225), oklch(0.13 0.009 240) 72%);
        font-family: "Instrument Sans" }
      .box { position: absolute; inset: 54px -60px 54px 690px; border-radius: 10px;
        background: radial-gradient(90% 80% at 45% 45%, oklch(0.995 0.004 210), oklch(0.945 0.02 214) 70%, oklch(0.9 0.026 218));
        box-shadow: 0 0 0 10px oklch(0.3 0.006 240), 0 0 0 11px oklch(0.12 0.006 240),
          0 0 140px 20px oklch(0.92 0.03 210 / 0.28) }
      .clip { position: absolute; inset: 0 0 auto; height: 24px;
        background: linear-gradient(180deg, oklch(0.36 0.006 240), oklch(0.22 0.006 240) 80%, oklch(0.16 0.006 240)) }
      .film { position: absolute; top: 16px; height: 482px; border-radius: 8px; background: var(--film) center / cover;
        box-shadow: 0 0 0 1px oklch(0.2 0.01 240 / 0.5), 0 0 26px oklch(0.99 0.01 210 / 0.9) }
      .words { position: absolute; inset: 0 auto 0 80px; width: 540px; display: flex; flex-direction: column;
        justify-content: center }
      h1 { margin: 44px 0 0; font-size: 60px; line-height: 1.08; font-weight: 600; letter-spacing: -0.022em;
        text-wrap: balance }
      p { margin: 22px 0 0; color: var(--ink-2); font-size: 26px; line-height: 1.4 }
    </style>
    <div class="box">
      <div class="film" style="left: 46px; width: 375px; background-image: url('${url("src/client/features/auth/film.webp")}')"></div>
      <div class="film" style="left: 452px; width: 395px; background-image: url('${url("src/client/features/auth/chest.webp")}')"></div>
      <div class="clip"></div>
    </div>
    <div class="words">
      <svg width="92" height="92" viewBox="0 0 26 26"><rect width="26" height="26" rx="5" fill="#05070a"/>${SLICES}</svg>
      <h1>${title}</h1>
      <p>${text}</p>
    </div></html>`;
}

async function draw(browser: Browser, name: string, html: string, [width, height]: [number, number]) {
  const isCard = name.startsWith("card-");
  const file = join(tmpdir(), `mark-${process.pid}.html`);
  const page = await browser.newPage({ viewport: { width, height } });
  try {
    writeFileSync(file, html);
    await page.goto(pathToFileURL(file).href);
    await page.evaluate(() => document.fonts.ready);
    const drawn = new Bun.Image(await page.screenshot({ omitBackground: true }));
    // At half the size the light around the box stays smooth.
    const png = isCard ? drawn.png({ palette: true, dither: true, compressionLevel: 9 }) : drawn.png();
    await Bun.write(join(out, name), await png.bytes());
  } finally {
    await page.close();
    rmSync(file, { force: true });
  }
}

mkdirSync(out, { recursive: true });
const browser = await launchBrowser();
try {
  await draw(browser, "mark-32.png", markPage(32, { radius: 5 }), [32, 32]);
  // Apple and the shapes of Android cut the corners themselves.
  await draw(browser, "mark-180.png", markPage(180, { inset: 0.06 }), [180, 180]);
  await draw(browser, "mark-192.png", markPage(192, { radius: 5 }), [192, 192]);
  await draw(browser, "mark-512.png", markPage(512, { radius: 5 }), [512, 512]);
  await draw(browser, "mark-maskable-512.png", markPage(512, { inset: 0.14 }), [512, 512]);
  await draw(browser, "imagestorage.png", storagePage(256), [256, 192]);
  for (const locale of locales) {
    await draw(browser, `card-${locale}.png`, cardPage(locale), [1200, 630]);
  }
} finally {
  await browser.close();
}
