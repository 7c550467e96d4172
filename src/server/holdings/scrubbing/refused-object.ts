/** An object whose reads fail for so long is missing if the store answers otherwise. */
const GIVEN_UP_AFTER_MS = 30 * 60_000;

/** Remembers the object at which turns of the scrub fail, so that one object does not hold up a round for ever. */
export interface RefusedObject {
  /** Notes that the object could not be read; returns whether that has been so for half an hour. */
  isGivenUp(objectId: string, now: Date): boolean;
}

export function createRefusedObject(): RefusedObject {
  let refused: { objectId: string; since: number } | undefined;
  return {
    isGivenUp(objectId, now) {
      if (refused?.objectId !== objectId) refused = { objectId, since: now.getTime() };
      return now.getTime() - refused.since >= GIVEN_UP_AFTER_MS;
    },
  };
}
