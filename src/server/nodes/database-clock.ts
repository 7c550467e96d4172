import type { Db } from "../db/client.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { measureClock } from "./measure-clock.ts";

/** A measurement may be wrong by half of what it took. */
const MAX_MEASURED_MS = 2_000;
/** A node that is surely off by no more goes by its own clock, which no measurement moves to and fro. */
const EQUAL_MS = 1_000;

/**
 * The database's time, as far as it was measured: what one node says that it lasts for five minutes lasts so long on all, whatever their
 * own clocks show. Before the first measurement it is the node's.
 */
export class DatabaseClock implements Clock {
  #aheadMs = 0;
  #isMeasured = false;

  /** @param machine the clock of this node's machine */
  constructor(readonly machine: Clock) {}

  now(): Date {
    return new Date(this.machine.now().getTime() - this.#aheadMs);
  }

  /**
   * What is deleted for good is counted by the earlier of this node's time and the database's, measured now, so that one clock that is
   * wrong deletes nothing.
   */
  async nowForDeletion(db: Db): Promise<Date> {
    await this.follow(db);
    return new Date(Math.min(this.machine.now().getTime(), this.now().getTime()));
  }

  /**
   * Measures it again. What took long, such as a wait for a connection, replaces no earlier measurement.
   * @param system the clock of this node's machine
   */
  async follow(db: Db, system: Clock = systemClock): Promise<void> {
    const askedAt = system.now().getTime();
    const aheadSeconds = await measureClock({ db, clock: system });
    const tookMs = system.now().getTime() - askedAt;
    if (this.#isMeasured && Math.abs(tookMs) > MAX_MEASURED_MS) return;
    const aheadMs = aheadSeconds * 1000;
    this.#aheadMs = Math.abs(aheadMs) < EQUAL_MS + Math.abs(tookMs) / 2 ? 0 : aheadMs;
    this.#isMeasured = true;
  }
}
