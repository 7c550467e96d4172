import type { Db } from "../db/client.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { measureClock } from "./measure-clock.ts";

/**
 * The database's time, as far as it was measured: what one node says that it lasts for five minutes lasts so long on all, whatever their
 * own clocks show. Before the first measurement it is the node's.
 */
export class DatabaseClock implements Clock {
  #aheadMs = 0;

  constructor(private readonly clock: Clock) {}

  now(): Date {
    return new Date(this.clock.now().getTime() - this.#aheadMs);
  }

  /** @param system the clock of this node's machine */
  async follow(db: Db, system: Clock = systemClock): Promise<void> {
    this.#aheadMs = (await measureClock({ db, clock: system })) * 1000;
  }
}
