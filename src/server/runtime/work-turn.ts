import { setImmediate } from "node:timers/promises";

const MAX_TURN_MS = 10;

/** Splits long work, so that other work waits no longer than a turn: `if (turn.isOver()) await turn.next()`. */
export class WorkTurn {
  #beganAt = performance.now();

  isOver(): boolean {
    return performance.now() - this.#beganAt > MAX_TURN_MS;
  }

  /** Lets other work go first. */
  async next(): Promise<void> {
    await setImmediate();
    this.#beganAt = performance.now();
  }
}
