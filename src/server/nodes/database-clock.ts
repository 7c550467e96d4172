import type { Db } from "../db/client.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { measureClock } from "./measure-clock.ts";

/** A measurement may be wrong by half of what it took. One that took longer counts only if the last one is surely wrong. */
const MAX_MEASURED_MS = 2_000;
/** A node that is surely off by no more goes by its own clock, which no measurement moves to and fro. */
const EQUAL_MS = 1_000;

/**
 * The database's time, as far as it was measured: what one node says that it lasts for five minutes lasts so long on all, whatever their
 * own clocks show. Before the first measurement it is the node's.
 */
export class DatabaseClock implements Clock {
  #aheadMs = 0;

  /** @param machine the clock of this node's machine */
  constructor(readonly machine: Clock) {}

  now(): Date {
    return new Date(this.machine.now().getTime() - this.#aheadMs);
  }

  /**
   * What is deleted for good is counted by the earlier of this node's time and the one that the database tells now, so that one clock that
   * is wrong deletes nothing, not even after a slow measurement.
   */
  async nowForDeletion(db: Db): Promise<Date> {
    const mostAheadMs = await this.follow(db);
    return new Date(this.machine.now().getTime() - Math.max(0, mostAheadMs));
  }

  /**
   * Measures it again. A slow measurement, such as one that waited for a connection, replaces none that it does not refute.
   * @param system the clock of this node's machine
   * @returns by how many milliseconds this node's clock is ahead at most
   */
  async follow(db: Db, system: Clock = systemClock): Promise<number> {
    const askedAt = system.now().getTime();
    const aheadMs = (await measureClock({ db, clock: system })) * 1000;
    const tookMs = system.now().getTime() - askedAt;
    const errorMs = EQUAL_MS + Math.abs(tookMs) / 2;
    if (Math.abs(tookMs) <= MAX_MEASURED_MS || Math.abs(aheadMs - this.#aheadMs) > errorMs)
      this.#aheadMs = Math.abs(aheadMs) < errorMs ? 0 : aheadMs;
    return aheadMs + tookMs / 2;
  }
}
