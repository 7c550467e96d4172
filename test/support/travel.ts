import { act } from "./dom.ts";

/** Presses Back or Forward. The browser reports it later. */
export async function travel(by: "back" | "forward"): Promise<void> {
  await act(async () => {
    window.history[by]();
    await Bun.sleep(20);
  });
}

/** Runs an action that writes to the history, and waits until a Back that it began has arrived. */
export async function write(work: () => void): Promise<void> {
  await act(async () => {
    work();
    await Bun.sleep(20);
  });
}
