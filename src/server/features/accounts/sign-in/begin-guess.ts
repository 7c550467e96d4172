import type { Db } from "../../../db/client.ts";
import { hashSecret } from "../mailed-links/secrets.ts";
import { type Place, type Standing, standingOf } from "./known-places.ts";
import { type Attempt, beginAttempt, type ThrottleRule } from "./throttle.ts";

export const QUARTER_HOUR_SECONDS = 15 * 60;

export interface Guess {
  /** The prefix of the throttles' names: what is guessed. */
  name: string;
  email: string;
  place: Place;
  windowSeconds: number;
  /** Failures of one browser or one network at one account. */
  limit: number;
  /** Failures of all strangers at one account. Beyond them only strangers wait. */
  strangersLimit: number;
  /** Failures of one network at all accounts. */
  networkLimit?: number;
}

/**
 * Counts one guess at a secret of an account. A browser that has signed in to the account has its own limit, so nobody else
 * can lock it out; a network that has signed in does not wait for strangers elsewhere.
 * @throws {AppError} 429 with Retry-After
 */
export async function beginGuess(db: Db, guess: Guess, now: Date): Promise<Attempt> {
  const standing = await standingOf(db, guess.email, guess.place);
  return await beginAttempt(db, rulesFor(guess, standing), now);
}

/** The network's own rules come first, so that a guess they refuse does not count against the shared limit. */
function rulesFor(guess: Guess, standing: Standing): ThrottleRule[] {
  const { name, place, windowSeconds, limit, strangersLimit, networkLimit } = guess;
  const account = guess.email.toLowerCase();
  if (standing === "browser") {
    const subject = `${account} ${hashSecret(place.browser)}`;
    return [{ name: `${name}:browser`, subject, limit, windowSeconds, resetsOnSuccess: true }];
  }
  const { network } = place;
  return [
    ...(networkLimit
      ? [{ name: `${name}:address`, subject: network, limit: networkLimit, windowSeconds }]
      : []),
    { name: `${name}:pair`, subject: `${account} ${network}`, limit, windowSeconds, resetsOnSuccess: true },
    ...(standing === "stranger"
      ? [{ name: `${name}:account`, subject: account, limit: strangersLimit, windowSeconds }]
      : []),
  ];
}
