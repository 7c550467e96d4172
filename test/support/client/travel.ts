import { spyOn } from "bun:test";
import { act } from "./dom.ts";

/** Presses Back or Forward, and waits until the browser has reported it. */
export async function travel(by: "back" | "forward"): Promise<void> {
  await act(async () => {
    const arrived = nextArrival();
    window.history[by]();
    await arrived;
  });
}

/** Runs an action that writes to the history, and waits until a Back that it began has arrived. */
export async function write(work: () => void): Promise<void> {
  const back = spyOn(window.history, "back");
  const arrived = nextArrival();
  await act(async () => work());
  // An effect may have begun it too.
  if (back.mock.calls.length > 0) await act(() => arrived);
  back.mockRestore();
}

function nextArrival(): Promise<void> {
  return new Promise((resolve) => {
    window.addEventListener("popstate", () => resolve(), { once: true });
  });
}
