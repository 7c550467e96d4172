/** The rules of plans, periods and limits: pure functions, which the server enforces and the screens explain. */

import { DAY_MS } from "../units.ts";
import { addDays } from "./days.ts";

/** The length of a counting period, after which the action counters are reset. */
export const actionPeriodDays = 30;
/** How long a Pix code can be paid. */
export const pixLifetimeSeconds = 30 * 60;
/** How long the exams of a cancelled account are kept for an undo. */
export const removalGraceHours = 72;
/** How long after the end of a subscription its exams are removed, as the terms say. */
export const lapseDays = 365;

/** Days a payment buys: a month up to 50 exams, a year above. */
export function periodDays(plan: { examLimit: number }): number {
  return plan.examLimit <= 50 ? 30 : 365;
}

/** Active means paid or granted, and not past its end (null: never ends). */
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
 * Returns the period that a payment of `days` buys. The same plan continues from its end, or from now if that has
 * passed; another plan starts now, and the rest of the old one lapses.
 */
export function boughtPeriod(
  current: { planId: string; status: "active" | "pending"; expiresAt: Date | null } | undefined,
  planId: string,
  days: number,
  now: Date,
): Period {
  const isExtended =
    current !== undefined &&
    current.planId === planId &&
    isInForce(current, now) &&
    current.expiresAt !== null;
  const start = isExtended && current.expiresAt !== null ? current.expiresAt : now;
  return { start, end: addDays(start, days) };
}

/** Returns the rest of a period at `now`, in milliseconds: a refund of its payment takes it away. */
export function remainingMs(period: Period, now: Date): number {
  return Math.max(0, period.end.getTime() - Math.max(period.start.getTime(), now.getTime()));
}

/** Returns when the counters were last reset, as of `now`: whole periods after `lastReset`. */
export function lastResetAt(lastReset: Date, now: Date): Date {
  const periods = Math.floor((now.getTime() - lastReset.getTime()) / (actionPeriodDays * DAY_MS));
  return periods < 1 ? lastReset : addDays(lastReset, periods * actionPeriodDays);
}

/** Returns when the counters are reset next. */
export function nextResetAt(lastReset: Date): Date {
  return addDays(lastReset, actionPeriodDays);
}

/** Returns used/limit in whole percent, rounded down so that 80 % is not shown before it is reached; a limit of 0 is used up. */
export function usagePercentage(used: number, limit: number): number {
  return limit <= 0 ? 100 : Math.floor((used / limit) * 100);
}

/** Screens warn from 80 % on. */
export function isNearLimit(used: number, limit: number): boolean {
  return usagePercentage(used, limit) >= 80;
}

export type BannerKind = "expired" | "expiring" | "reminder";

/**
 * Returns the banner for a subscription that ends at `expiresAt`: expired at 0 days, a warning up to 3, a reminder up to
 * 7, else none. `days` is the remaining time, rounded up.
 */
export function bannerFor(expiresAt: Date | null, now: Date): { kind: BannerKind; days: number } | undefined {
  if (expiresAt === null) return undefined;
  const leftMs = expiresAt.getTime() - now.getTime();
  if (leftMs <= 0) return { kind: "expired", days: 0 };
  const days = Math.ceil(leftMs / DAY_MS);
  if (days <= 3) return { kind: "expiring", days };
  return days <= 7 ? { kind: "reminder", days } : undefined;
}

/** Returns what an account exceeds a plan in: exams, of either archive, or bytes. */
export function tooSmallFor(
  plan: { examLimit: number; storageBytes: number },
  held: { examCount: number; labExamCount: number; storageUsedBytes: number },
): "exams" | "storage" | undefined {
  if (Math.max(held.examCount, held.labExamCount) > plan.examLimit) return "exams";
  return held.storageUsedBytes > plan.storageBytes ? "storage" : undefined;
}
