import { setTimeout } from "node:timers/promises";

/** Waits for `delayMs`. @throws the reason of `signal` when it aborts, which the runtime's own timers wrap in an error of theirs */
export async function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(delayMs, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
