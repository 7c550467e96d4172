import { afterEach, beforeEach, jest } from "bun:test";
import { act, cleanup } from "./dom.ts";

const STEP_MS = 1000;

/** Every test of the file begins at `now`, and time passes only by `pass`. Testing Library's `find…` would never end. */
export function withFakeClock(now: string): void {
  beforeEach(() => {
    jest.useFakeTimers({ now: new Date(now) });
  });
  afterEach(() => {
    cleanup();
    // TanStack Query waits for a notification that it scheduled, also in the tests that follow.
    jest.advanceTimersByTime(0);
    jest.useRealTimers();
  });
}

/** Lets time pass, second by second, with all that calls and components then do. */
export async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= STEP_MS) {
    await act(async () => {
      jest.advanceTimersByTime(Math.min(STEP_MS, left));
      await answered();
    });
  }
}

/** Resolves when calls that were made are answered and drawn. */
export async function settled(): Promise<void> {
  await act(answered);
}

async function answered(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(0);
  }
}
