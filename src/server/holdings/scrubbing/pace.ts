import { setTimeout } from "node:timers/promises";
import type { Deps } from "../../deps.ts";

const MIN_BYTES_A_SECOND = 4 * 1024 * 1024;
const MAX_BYTES_A_SECOND = 64 * 1024 * 1024;
/** Twice the average speed, because a turn also waits for requests and is shorter than the time between two turns. */
const OVER_AVERAGE = 2;
/** What may be read at once after a pause, in seconds of the pace. */
const BURST_SECONDS = 1;
/** How often to look whether requests are still being answered, and how often at most before reading on. */
const LOOK_MS = 50;
const MAX_LOOKS = 20;
/** What is read between two looks. */
const LOOK_BYTES = 8 * 1024 * 1024;

export interface Pace {
  /** Waits until `bytes` more may be read. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
}

/** The speed, in bytes a second, at which an archive is read within the planned time. Bounded on both sides. */
export function paceOf(totalBytes: number, plannedMs: number): number {
  const average = totalBytes / (plannedMs / 1000);
  return Math.min(MAX_BYTES_A_SECOND, Math.max(MIN_BYTES_A_SECOND, OVER_AVERAGE * average));
}

/** Keeps to a speed and lets requests go first, but reads on after a second even if they never end. */
export function createPace({ meters }: Pick<Deps, "meters">, bytesASecond: number): Pace {
  let allowed = bytesASecond * BURST_SECONDS;
  let countedAt = performance.now();
  let sinceLook = LOOK_BYTES;
  return {
    async take(bytes, signal) {
      sinceLook += bytes;
      if (sinceLook >= LOOK_BYTES) {
        sinceLook = 0;
        for (let look = 0; look < MAX_LOOKS && meters.requests.isAnswering; look++)
          await setTimeout(LOOK_MS, undefined, { signal, ref: false });
      }
      const now = performance.now();
      allowed = Math.min(bytesASecond * BURST_SECONDS, allowed + ((now - countedAt) / 1000) * bytesASecond);
      countedAt = now;
      allowed -= bytes;
      if (allowed < 0) await setTimeout((-allowed / bytesASecond) * 1000, undefined, { signal, ref: false });
    },
  };
}
