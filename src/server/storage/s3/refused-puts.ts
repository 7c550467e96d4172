import { type StoreRefusal, StoreRefuses } from "../object-store.ts";
import { S3Failure } from "./s3-failure.ts";

/** For so long after it refused something the store counts as refusing, unless it took something since. */
const FRESH_MS = 10 * 60_000;

/** Whether the store takes what is put into it. */
export interface RefusedPuts {
  /** Runs `put`. @throws {StoreRefuses} if the store refuses it, whatever it is */
  during<T>(put: () => Promise<T>): Promise<T>;
  /** Why the store refused the last thing that was put, if that was a short while ago. */
  current(): StoreRefusal | undefined;
}

/** @param now in milliseconds, of a clock that never goes back */
export function createRefusedPuts(now: () => number = () => performance.now()): RefusedPuts {
  let last: { why: StoreRefusal; atMs: number } | undefined;

  return {
    async during(put) {
      try {
        const result = await put();
        last = undefined;
        return result;
      } catch (error) {
        const why = error instanceof S3Failure ? error.refusal : undefined;
        if (!why) throw error;
        last = { why, atMs: now() };
        throw new StoreRefuses(why, { cause: error });
      }
    },

    current: () => (last && now() - last.atMs < FRESH_MS ? last.why : undefined),
  };
}
