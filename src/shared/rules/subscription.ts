/** The rules of plans, periods and limits: pure, for the server that enforces them and the screens that explain them. */

export const DAY_MS = 24 * 3600_000;
/** What a plan and a limit of the specification call a GB. */
export const GIB = 1024 ** 3;
/** How long the action counters count before they start anew. */
export const actionPeriodDays = 30;
/** A Pix code is good for this long. */
export const pixLifetimeSeconds = 30 * 60;
/** Exams of a cancelled account are kept this long for an undo. */
export const removalGraceHours = 72;
/** Exams are removed this long after a subscription ended (SPEC's terms). */
export const lapseDays = 365;

/** Days a payment buys: a month up to 50 exams, a year above (SPEC's terms). */
export function periodDays(plan: { examLimit: number }): number {
  return plan.examLimit <= 50 ? 30 : 365;
}

export function addDays(from: Date, days: number): Date {
  return new Date(from.getTime() + days * DAY_MS);
}

/** Active: paid or granted, and not past its end (null: never ends). */
export function isInForce(
  subscription: { status: "active" | "pending"; expiresAt: Date | null },
  now: Date,
): boolean {
  return (
    subscription.status === "active" && (subscription.expiresAt === null || subscription.expiresAt > now)
  );
}

export interface Period {
  start: Date;
  end: Date;
}

/**
 * What a payment of `days` buys. The same plan goes on from its end, or from now where that has passed; another
 * plan starts now, and the rest of the old one lapses.
 */
export function boughtPeriod(
  current: { planId: string; status: "active" | "pending"; expiresAt: Date | null } | undefined,
  planId: string,
  days: number,
  now: Date,
): Period {
  const goesOn =
    current !== undefined &&
    current.planId === planId &&
    isInForce(current, now) &&
    current.expiresAt !== null;
  const start = goesOn && current.expiresAt !== null ? current.expiresAt : now;
  return { start, end: addDays(start, days) };
}

/** What is left of a period at `now`, in milliseconds: what a refund of its payment takes away. */
export function remainingMs(period: Period, now: Date): number {
  return Math.max(0, period.end.getTime() - Math.max(period.start.getTime(), now.getTime()));
}

/** When the counters last started anew, as of `now`: whole periods after `lastReset`. */
export function lastResetAt(lastReset: Date, now: Date): Date {
  const periods = Math.floor((now.getTime() - lastReset.getTime()) / (actionPeriodDays * DAY_MS));
  return periods < 1 ? lastReset : addDays(lastReset, periods * actionPeriodDays);
}

/** When the counters start anew next. */
export function nextResetAt(lastReset: Date): Date {
  return addDays(lastReset, actionPeriodDays);
}

/** Used of limit in whole percent, rounded down so that 80 is never shown below it; a limit of 0 is used up. */
export function usagePercentage(used: number, limit: number): number {
  return limit <= 0 ? 100 : Math.floor((used / limit) * 100);
}

/** From 80 % on the screens warn. */
export function isNearLimit(used: number, limit: number): boolean {
  return usagePercentage(used, limit) >= 80;
}

export type BannerKind = "expired" | "expiring" | "reminder";

/**
 * The banner for a subscription that ends at `expiresAt`: expired at 0, a warning up to 3 days, a reminder up to 7,
 * else none. `days` is the ceiling of what is left.
 */
export function bannerFor(expiresAt: Date | null, now: Date): { kind: BannerKind; days: number } | undefined {
  if (expiresAt === null) return undefined;
  const leftMs = expiresAt.getTime() - now.getTime();
  if (leftMs <= 0) return { kind: "expired", days: 0 };
  const days = Math.ceil(leftMs / DAY_MS);
  if (days <= 3) return { kind: "expiring", days };
  return days <= 7 ? { kind: "reminder", days } : undefined;
}

/** What an account holds more of than a plan allows: exams, of either archive, or bytes. */
export function tooSmallFor(
  plan: { examLimit: number; storageBytes: number },
  held: { examCount: number; labExamCount: number; storageUsedBytes: number },
): "exams" | "storage" | undefined {
  if (Math.max(held.examCount, held.labExamCount) > plan.examLimit) return "exams";
  return held.storageUsedBytes > plan.storageBytes ? "storage" : undefined;
}
