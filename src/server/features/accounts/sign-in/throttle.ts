import type { Db } from "../../../db/client.ts";
import { AppError } from "../../../http/app-error.ts";
import { tooManyRequests } from "../../../http/http.errors.ts";
import {
  clearAttempts,
  findAttempts,
  giveBackAttempt,
  type ThrottleKey,
  takeAttempt,
} from "./throttles.repo.ts";

export interface ThrottleRule {
  name: string;
  /** What is counted: a network, an account's e-mail, … Stored hashed. */
  subject: string;
  limit: number;
  windowSeconds: number;
  /** A success forgets the failures before it. */
  resetsOnSuccess?: boolean;
}

export interface Attempt {
  /** The attempt succeeded, so it does not count. */
  succeed(): Promise<void>;
}

/**
 * Counts one attempt under each rule before its outcome is known.
 * @throws {AppError} 429 with Retry-After if a rule is exhausted
 */
export async function beginAttempt(db: Db, rules: ThrottleRule[], now: Date): Promise<Attempt> {
  const taken: { key: ThrottleKey; resetsOnSuccess: boolean }[] = [];
  for (const rule of rules) {
    const key = keyOf(rule);
    const { attempts, windowEndsAt } = await takeAttempt(db, key, now, rule.windowSeconds);
    taken.push({ key, resetsOnSuccess: rule.resetsOnSuccess ?? false });
    if (attempts > rule.limit) {
      await Promise.all(taken.map(({ key }) => giveBackAttempt(db, key)));
      throw exhausted(windowEndsAt, now);
    }
  }
  return {
    async succeed() {
      await Promise.all(
        taken.map(({ key, resetsOnSuccess }) =>
          resetsOnSuccess ? clearAttempts(db, key) : giveBackAttempt(db, key),
        ),
      );
    },
  };
}

/** Takes back one counted attempt under each rule, which a fault of the server made fail. */
export async function forgiveAttempt(db: Db, rules: Pick<ThrottleRule, "name" | "subject">[]): Promise<void> {
  await Promise.all(rules.map((rule) => giveBackAttempt(db, keyOf(rule))));
}

/** Whether an attempt is counted under a rule in its current window. */
export async function wasAttempted(
  db: Db,
  rule: Pick<ThrottleRule, "name" | "subject" | "windowSeconds">,
  now: Date,
): Promise<boolean> {
  const taken = await findAttempts(db, keyOf(rule), now, rule.windowSeconds);
  return taken !== undefined && taken.attempts > 0;
}

/**
 * Checks a rule without counting an attempt.
 * @throws {AppError} 429 with Retry-After if the rule is exhausted
 */
export async function assertAttemptLeft(db: Db, rule: ThrottleRule, now: Date): Promise<void> {
  const taken = await findAttempts(db, keyOf(rule), now, rule.windowSeconds);
  if (taken && taken.attempts >= rule.limit) throw exhausted(taken.windowEndsAt, now);
}

function exhausted(windowEndsAt: Date, now: Date): AppError {
  const seconds = Math.ceil((windowEndsAt.getTime() - now.getTime()) / 1000);
  return new AppError(tooManyRequests, { retryAfterSeconds: Math.max(1, seconds) });
}

function keyOf({ name, subject }: Pick<ThrottleRule, "name" | "subject">): ThrottleKey {
  return { name, key: new Bun.CryptoHasher("sha256").update(subject).digest("hex") };
}
