import type { Page } from "playwright-core";

export interface Point {
  x: number;
  y: number;
}

export interface Finger {
  from: Point;
  to: Point;
}

const STEPS = 12;
/** As long as a screen takes between two readings of its fingers. */
const STEP_MS = 16;

/** Longer than a finger rests before it counts as held. */
const HOLD_MS = 500;

/** Moves fingers over the page's screen, each from its first point to its last, as a touch screen reports it. */
export function moveFingers(page: Page, ...fingers: Finger[]): Promise<void> {
  return dragFingers(page, fingers, 0);
}

/** Rests a finger on the screen, then moves it. */
export function holdAndMove(page: Page, finger: Finger): Promise<void> {
  return dragFingers(page, [finger], HOLD_MS);
}

/** Two short presses at the same place. */
export async function doubleTap(page: Page, point: Point): Promise<void> {
  await using screen = await openScreen(page);
  await Promise.all([
    screen.report("touchStart", 0, [point]),
    screen.report("touchEnd", 40),
    screen.report("touchStart", 120, [point]),
    screen.report("touchEnd", 160),
  ]);
}

async function dragFingers(page: Page, fingers: Finger[], holdMs: number): Promise<void> {
  await using screen = await openScreen(page);
  const at = (share: number) =>
    fingers.map(({ from, to }, id) => ({
      id,
      x: from.x + (to.x - from.x) * share,
      y: from.y + (to.y - from.y) * share,
    }));
  await screen.report("touchStart", 0, at(0));
  await Bun.sleep(holdMs);
  for (let step = 1; step <= STEPS; step++) {
    await Bun.sleep(STEP_MS);
    await screen.report("touchMove", holdMs + step * STEP_MS, at(step / STEPS));
  }
  await screen.report("touchEnd", holdMs + STEPS * STEP_MS);
}

/** A touch screen that says when each thing happened, so that a slow machine sees the same fingers. */
async function openScreen(page: Page) {
  const session = await page.context().newCDPSession(page);
  const begun = Date.now();
  return {
    report: (type: "touchStart" | "touchMove" | "touchEnd", afterMs: number, touchPoints: Point[] = []) =>
      session.send("Input.dispatchTouchEvent", { type, touchPoints, timestamp: (begun + afterMs) / 1_000 }),
    [Symbol.asyncDispose]: () => session.detach(),
  };
}
