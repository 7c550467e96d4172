import type { Frame, Page } from "playwright-core";

/** Measurements of the image that the viewer shows. */
export interface Sight {
  /** Share of the viewport, 0 to 1, that is not black. */
  lit: number;
  /** How many different colours there are, in steps of 8 per channel. */
  colours: number;
  /** Whether any of them is not a grey. */
  isColoured: boolean;
  /** Mean red, green and blue, 0 to 255, of the cells of a 48 × 48 grid, row by row. */
  sketch: number[];
}

const GRID = 48;
const STEADY_MS = 120;

/**
 * Waits until the first viewport shows more than black, and no longer changes.
 * @returns the last sight, whatever it is, when the time is over
 */
export async function lookAtImage(
  page: Page | Frame,
  {
    timeoutMs = 60_000,
    isSought = isPicture,
  }: { timeoutMs?: number; isSought?: (sight: Sight) => boolean } = {},
): Promise<Sight> {
  const deadline = performance.now() + timeoutMs;
  let last = BLACK;
  while (performance.now() < deadline) {
    const sight = (await page.evaluate(readCanvas, GRID)) ?? BLACK;
    if (isSought(sight) && difference(sight, last) === 0) return sight;
    last = sight;
    await Bun.sleep(STEADY_MS);
  }
  return last;
}

export function isPicture({ lit, colours }: Sight): boolean {
  return lit > 0.02 && colours > 1;
}

/** Mean difference per cell and channel, 0 to 255. */
export function difference(one: Sight, other: Sight): number {
  if (one.sketch.length !== other.sketch.length) return 255;
  const total = one.sketch.reduce((sum, value, at) => sum + Math.abs(value - (other.sketch[at] ?? 0)), 0);
  return total / one.sketch.length;
}

const BLACK: Sight = { lit: 0, colours: 0, isColoured: false, sketch: [] };

/** Runs in the page. */
function readCanvas(grid: number): Sight | undefined {
  const canvas = document.querySelector<HTMLCanvasElement>("canvas.cornerstone-canvas");
  const context = canvas?.width ? canvas.getContext("2d") : null;
  if (!canvas || !context) return undefined;
  const { width, height } = canvas;
  // Little endian: alpha, blue, green, red.
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const colours = new Uint8Array(1 << 15);
  const sums = new Float64Array(grid * grid * 3);
  let lit = 0;
  let isColoured = false;
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor((y * grid) / height) * grid;
    for (let x = 0; x < width; x++, at++) {
      const pixel = pixels[at] ?? 0;
      const red = pixel & 255;
      const green = (pixel >> 8) & 255;
      const blue = (pixel >> 16) & 255;
      colours[((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3)] = 1;
      // Most of a viewport is black.
      if ((pixel & 0xffffff) === 0) continue;
      const brightest = Math.max(red, green, blue);
      if (brightest > 24) lit++;
      if (brightest - Math.min(red, green, blue) > 48) isColoured = true;
      const cell = (row + Math.floor((x * grid) / width)) * 3;
      sums[cell] = (sums[cell] ?? 0) + red;
      sums[cell + 1] = (sums[cell + 1] ?? 0) + green;
      sums[cell + 2] = (sums[cell + 2] ?? 0) + blue;
    }
  }
  const perCell = (width * height) / (grid * grid);
  return {
    lit: lit / (width * height),
    colours: colours.reduce((sum, isSeen) => sum + isSeen, 0),
    isColoured,
    sketch: Array.from(sums, (sum) => Math.round(sum / perCell)),
  };
}
