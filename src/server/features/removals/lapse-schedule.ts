import { addDays } from "../../../shared/rules/days.ts";
import { lapseDays } from "../../../shared/rules/subscription.ts";

/** How many days before the removal the owner is warned. */
export const warningDays = [30, 7, 1] as const;
export type WarningDays = (typeof warningDays)[number];

/** The step that is due for an account that stores exams without a subscription. */
export type LapseStep = { warn: WarningDays; removalAt: Date } | "remove" | undefined;

/** The job runs hourly, so a step within the hour is on time. */
const ON_TIME_MS = 3600_000;

/**
 * The next step at `now` for exams whose subscription ended at `endedAt`, given when each warning was sent. A late warning
 * postpones the steps after it: an owner who reads "in 30 days" has 30 days.
 */
export function nextLapseStep(endedAt: Date, sentAt: ReadonlyMap<WarningDays, Date>, now: Date): LapseStep {
  let removalAt = addDays(endedAt, lapseDays);
  for (const days of warningDays) {
    const dueAt = addDays(removalAt, -days);
    const toldAt = sentAt.get(days) ?? now;
    removalAt = postponed(removalAt, days, toldAt);
    if (!sentAt.has(days)) return toldAt >= dueAt ? { warn: days, removalAt } : undefined;
  }
  return now >= removalAt ? "remove" : undefined;
}

/** When the exams of a subscription that ended at `endedAt` are removed at the earliest, as things stand at `now`. */
export function removalDueAt(endedAt: Date, sentAt: ReadonlyMap<WarningDays, Date>, now: Date): Date {
  return warningDays.reduce(
    (removalAt, days) => {
      const toldAt = sentAt.get(days) ?? now;
      return postponed(removalAt, days, toldAt);
    },
    addDays(endedAt, lapseDays),
  );
}

function postponed(removalAt: Date, days: WarningDays, toldAt: Date): Date {
  const lateMs = toldAt.getTime() - addDays(removalAt, -days).getTime();
  return lateMs > ON_TIME_MS ? addDays(toldAt, days) : removalAt;
}
