/** An object whose reads fail for so long is missing if the store answers otherwise. */
const GIVEN_UP_AFTER_MS = 30 * 60_000;

/** Remembers the object at which turns of the scrub fail, so that one object does not hold up a round for ever. */
export interface RefusedObject {
  /**
   * Notes that the object could not be read; returns whether that has been so for half an hour.
   * @param nowMs of a clock that never jumps
   */
  isGivenUp(objectId: string, nowMs: number): boolean;
}

export function createRefusedObject(): RefusedObject {
  let refused: { objectId: string; sinceMs: number } | undefined;
  return {
    isGivenUp(objectId, nowMs) {
      if (refused?.objectId !== objectId) refused = { objectId, sinceMs: nowMs };
      return nowMs - refused.sinceMs >= GIVEN_UP_AFTER_MS;
    },
  };
}
