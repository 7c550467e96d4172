import type { Page } from "playwright-core";
import { until } from "../until.ts";

const GRID = 24;

/** Our own viewer in a page. */
export const visorOf = (page: Page) => page.locator(".visor");

/** Grey levels of what the visor shows, on a grid of 24 × 24. Equal pictures are equal. */
export async function sightOf(page: Page): Promise<string> {
  return await visorOf(page)
    .locator(".visor-film canvas")
    .first()
    .evaluate((canvas: HTMLCanvasElement, grid) => {
      const small = document.createElement("canvas");
      small.width = small.height = grid;
      const context = small.getContext("2d");
      context?.drawImage(canvas, 0, 0, grid, grid);
      const { data = [] } = context?.getImageData(0, 0, grid, grid) ?? {};
      return Array.from({ length: grid * grid }, (_, at) => data[at * 4] ?? 0).join(",");
    }, GRID);
}

/** Whether a sight is more than a plain area. */
export const isLit = (sight: string) => new Set(sight.split(",")).size > 8;

/** Mean difference of two sights, in grey levels. */
export function apart(one: string, other: string): number {
  const levels = other.split(",").map(Number);
  const differences = one.split(",").map((level, at) => Math.abs(Number(level) - (levels[at] ?? 0)));
  return differences.reduce((sum, difference) => sum + difference, 0) / differences.length;
}

/** Waits until the visor has drawn an image. */
export async function drawn(page: Page): Promise<void> {
  await visorOf(page).locator("canvas[data-slice]").first().waitFor();
  await until(async () => isLit(await sightOf(page)));
}

/** Presses Escape in the very moment in which something is there, before it has the focus: a machine may be that slow. */
export async function pressEscapeWhenThere(page: Page, selector: string): Promise<void> {
  await page.evaluate((awaited) => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector(awaited)) return;
      observer.disconnect();
      document.body.dataset.pressed = "";
      const press = { key: "Escape", bubbles: true, cancelable: true };
      document.body.dispatchEvent(new KeyboardEvent("keydown", press));
    });
    observer.observe(document.body, { childList: true, subtree: true });
  }, selector);
}
