import { addDays, lapseDays } from "../../../shared/rules/subscription.ts";

/** How many days before the exams go their owner is told. */
export const warningDays = [30, 7, 1] as const;
export type WarningDays = (typeof warningDays)[number];

/** What is due for an account that keeps exams without a subscription. */
export type LapseStep = { warn: WarningDays; removalAt: Date } | "remove" | undefined;

/**
 * What comes next at `now` for exams whose subscription ended at `endedAt`, given when each warning was sent. A
 * warning that is late puts off what follows: whoever is told "in 30 days" has 30 days.
 */
export function nextLapseStep(endedAt: Date, sentAt: ReadonlyMap<WarningDays, Date>, now: Date): LapseStep {
  let removalAt = addDays(endedAt, lapseDays);
  for (const days of warningDays) {
    const sent = sentAt.get(days);
    if (!sent) {
      const isDue = now >= addDays(removalAt, -days);
      return isDue ? { warn: days, removalAt: later(removalAt, addDays(now, days)) } : undefined;
    }
    removalAt = later(removalAt, addDays(sent, days));
  }
  return now >= removalAt ? "remove" : undefined;
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}
