import type { Page } from "playwright-core";

export interface Point {
  x: number;
  y: number;
}

const STEPS = 12;
/** As long as a screen takes between two readings of its fingers. */
const STEP_MS = 16;

/** Moves fingers over the page's screen, each from its first point to its last, as a touch screen reports it. */
export async function moveFingers(page: Page, ...fingers: { from: Point; to: Point }[]): Promise<void> {
  const screen = await page.context().newCDPSession(page);
  const at = (share: number) =>
    fingers.map(({ from, to }, id) => ({
      id,
      x: from.x + (to.x - from.x) * share,
      y: from.y + (to.y - from.y) * share,
    }));
  await screen.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
  for (let step = 1; step <= STEPS; step++) {
    await Bun.sleep(STEP_MS);
    await screen.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(step / STEPS) });
  }
  await screen.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await screen.detach();
}
