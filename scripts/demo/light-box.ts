import { join } from "node:path";
import { createHead } from "../../src/shared/phantom/head.ts";
import { renderCtHeadSlice } from "../../src/shared/phantom/head-ct.ts";
import { clamp } from "../../src/shared/phantom/noise.ts";
import { soften } from "../../src/shared/phantom/raster.ts";
import { captionDots, GLYPH_ADVANCE } from "./caption-font.ts";
import { renderChestRadiograph, toFilm } from "./phantom/chest-radiograph.ts";
import { encodePng } from "./phantom/png.ts";

const SEED = 7;
const FILM = { columns: 1120, rows: 1440, across: 4, down: 5, margin: 20, header: 40, gap: 2 } as const;
/** The part of the film that a phone shows: its first rows of slices, in the pixels of a dense screen. */
const BAND = { rows: 720, columns: 672 } as const;
const CHEST_SIZE = 760;
const WINDOW = { center: 35, width: 90 } as const;
const FIRST_Z = -34;
const LAST_Z = 84;
const FILM_INK = 0.72;

/** 8-bit grey on black, with room for captions. */
interface Sheet {
  columns: number;
  rows: number;
  samples: Uint8Array;
}

/** Draws the films of the entry page's light box and writes them as WebP into `folder`. */
export async function writeLightBox(folder: string): Promise<void> {
  const film = drawFilm();
  await writeWebp(join(folder, "film.webp"), film, { quality: 50 });
  const band = { ...film, rows: BAND.rows, samples: film.samples.subarray(0, film.columns * BAND.rows) };
  await writeWebp(join(folder, "film-band.webp"), band, { quality: 45, columns: BAND.columns });
  await writeWebp(join(folder, "chest.webp"), drawChest(), { quality: 70 });
}

async function writeWebp(
  path: string,
  sheet: Sheet,
  { quality, columns = sheet.columns }: { quality: number; columns?: number },
): Promise<void> {
  const image = new Bun.Image(encodePng(sheet.samples, sheet.columns, sheet.rows));
  const rows = Math.round((sheet.rows * columns) / sheet.columns);
  await Bun.write(path, await image.resize(columns, rows).webp({ quality }).bytes());
}

function drawFilm(): Sheet {
  const { columns, rows, across, down, margin, header, gap } = FILM;
  const sheet: Sheet = { columns, rows, samples: new Uint8Array(columns * rows) };
  const tile = Math.floor((columns - 2 * margin - (across - 1) * gap) / across);
  const head = createHead(SEED);
  const count = across * down;
  for (let index = 0; index < count; index++) {
    const z = FIRST_Z + (index * (LAST_Z - FIRST_Z)) / (count - 1);
    const left = margin + (index % across) * (tile + gap);
    const top = header + Math.floor(index / across) * (tile + gap + 6);
    const slice = renderCtHeadSlice(head, tile, z);
    soften(slice);
    drawSlice(sheet, slice.values, { left, top, size: tile });
    drawTileCaptions(sheet, { left, top, size: tile, index, z });
  }
  drawHeader(sheet);
  return sheet;
}

function drawSlice(
  sheet: Sheet,
  values: Float32Array,
  place: { left: number; top: number; size: number },
): void {
  const low = WINDOW.center - WINDOW.width / 2;
  values.forEach((hu, i) => {
    const share = clamp((hu - low) / WINDOW.width, 0, 1);
    const row = place.top + Math.floor(i / place.size);
    sheet.samples[row * sheet.columns + place.left + (i % place.size)] = Math.round(share * 250);
  });
}

function drawTileCaptions(
  sheet: Sheet,
  tile: { left: number; top: number; size: number; index: number; z: number },
): void {
  const { left, size, index, z } = tile;
  const right = left + size - 6;
  const start = left + 6;
  const top = tile.top + 6;
  const bottom = tile.top + size - 24;
  write(sheet, "DUARTE^HELENA", start, top);
  write(sheet, "F 58 A", start, top + 11);
  write(sheet, `IM ${index + 4}/38`, right, top, "right");
  write(sheet, `${z.toFixed(1).replace(".", ",")} MM`, right, top + 11, "right");
  write(sheet, "C 35 L 90", start, bottom);
  write(sheet, "KV 120", start, bottom + 11);
  write(sheet, "5,0 MM", right, bottom + 11, "right");
  if (index % FILM.across === 0) write(sheet, "D", start, tile.top + size / 2, "left", 2);
  drawScale(sheet, right, tile.top + size * 0.3, size * 0.4);
}

/** A rule of ten centimetres at the tile's right edge. */
function drawScale(sheet: Sheet, right: number, top: number, height: number): void {
  for (let row = 0; row <= height; row++) dot(sheet, right, Math.round(top) + row, 0.5);
  for (let mark = 0; mark <= 10; mark++) {
    for (let column = 0; column < (mark % 5 === 0 ? 6 : 3); column++) {
      dot(sheet, right - column, Math.round(top + (mark * height) / 10), 0.5);
    }
  }
}

function drawHeader(sheet: Sheet): void {
  const top = 16;
  write(sheet, "DUARTE, HELENA M.", FILM.margin + 6, top, "left", 1.5);
  write(sheet, "TC CRÂNIO S/ CONTRASTE", 400, top, "left", 1.5);
  write(sheet, "14-11-2026 08:42", 720, top, "left", 1.5);
  write(sheet, "FILME 1/2", sheet.columns - FILM.margin - 6, top, "right", 1.5);
}

function drawChest(): Sheet {
  const raster = renderChestRadiograph(CHEST_SIZE, SEED);
  const samples = Uint8Array.from(raster.values, (water) => Math.round(toFilm(water) * 250));
  const sheet: Sheet = { columns: CHEST_SIZE, rows: CHEST_SIZE, samples };
  write(sheet, "D", 34, 34, "left", 4);
  return sheet;
}

/** Writes a line of capitals; `scale` is the size of one dot in pixels, blended where it is not whole. */
function write(
  sheet: Sheet,
  text: string,
  x: number,
  y: number,
  align: "left" | "right" = "left",
  scale = 1,
): void {
  const left = align === "left" ? x : x - text.length * GLYPH_ADVANCE * scale;
  for (const [column, row] of captionDots(text)) {
    fillSquare(sheet, left + column * scale, y + row * scale, scale);
  }
}

function fillSquare(sheet: Sheet, left: number, top: number, size: number): void {
  for (let row = Math.floor(top); row < top + size; row++) {
    for (let column = Math.floor(left); column < left + size; column++) {
      const wide = Math.min(left + size, column + 1) - Math.max(left, column);
      const high = Math.min(top + size, row + 1) - Math.max(top, row);
      dot(sheet, column, row, FILM_INK * clamp(wide, 0, 1) * clamp(high, 0, 1));
    }
  }
}

function dot(sheet: Sheet, column: number, row: number, ink: number): void {
  const index = row * sheet.columns + Math.floor(column);
  const before = sheet.samples[index] ?? 0;
  sheet.samples[index] = Math.round(before + (255 - before) * ink);
}

if (import.meta.main) {
  await writeLightBox(join(import.meta.dir, "../../src/client/features/auth"));
}
