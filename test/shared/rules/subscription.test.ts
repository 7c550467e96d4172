import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays } from "../../../src/shared/rules/days.ts";
import {
  bannerFor,
  boughtPeriod,
  isInForce,
  isNearLimit,
  lastResetAt,
  nextResetAt,
  periodDays,
  remainingMs,
  tooSmallFor,
  usagePercentage,
} from "../../../src/shared/rules/subscription.ts";
import { DAY_MS } from "../../../src/shared/units.ts";

const now = new Date("2026-11-21T12:00:00Z");
const instant = fc.date({ min: new Date("2020-01-01"), max: new Date("2060-01-01"), noInvalidDate: true });
const days = fc.integer({ min: 1, max: 366 });

describe("what a payment buys", () => {
  test.each([
    [10, 30],
    [50, 30],
    [51, 365],
    [200, 365],
    [1000, 365],
  ])("a plan of %i exams runs %i days", (examLimit, expected) => {
    expect(periodDays({ examLimit })).toBe(expected);
  });

  test("a payment never shortens the same plan, and always adds a whole period", () => {
    fc.assert(
      fc.property(instant, instant, days, (expiresAt, at, length) => {
        const current = { planId: "a", status: "active" as const, expiresAt };
        const period = boughtPeriod(current, "a", length, at);
        expect(period.end.getTime() - period.start.getTime()).toBe(length * DAY_MS);
        expect(period.start.getTime()).toBe(Math.max(expiresAt.getTime(), at.getTime()));
        expect(period.end > expiresAt).toBe(true);
      }),
    );
  });

  test("another plan starts at once, whatever time was left", () => {
    fc.assert(
      fc.property(instant, instant, days, (expiresAt, at, length) => {
        const current = { planId: "a", status: "active" as const, expiresAt };
        expect(boughtPeriod(current, "b", length, at)).toEqual({ start: at, end: addDays(at, length) });
      }),
    );
  });

  test("a plan that was chosen and never paid adds no time to the next one", () => {
    const current = { planId: "a", status: "pending" as const, expiresAt: addDays(now, 9) };
    expect(boughtPeriod(current, "a", 30, now).start).toEqual(now);
    expect(boughtPeriod(undefined, "a", 30, now).start).toEqual(now);
  });

  test("payments in a row leave no gap, and refunding any of them takes exactly what is left of it", () => {
    fc.assert(
      fc.property(
        instant,
        fc.array(days, { minLength: 1, maxLength: 6 }),
        fc.nat(2000),
        (at, lengths, after) => {
          const periods: { start: Date; end: Date }[] = [];
          let expiresAt: Date | null = null;
          for (const length of lengths) {
            const current = expiresAt && { planId: "a", status: "active" as const, expiresAt };
            const period = boughtPeriod(current ?? undefined, "a", length, at);
            if (expiresAt) expect(period.start).toEqual(expiresAt);
            periods.push(period);
            expiresAt = period.end;
          }
          const later = addDays(at, after);
          const left = periods.reduce((sum, period) => sum + remainingMs(period, later), 0);
          expect(left).toBe(
            Math.max(0, (expiresAt ?? at).getTime() - Math.max(at.getTime(), later.getTime())),
          );
        },
      ),
    );
  });
});

describe("in force", () => {
  test("until just before its end, always if it has no end, and never before it is paid", () => {
    const subscription = (expiresAt: Date | null) => ({ status: "active" as const, expiresAt });
    expect(isInForce(subscription(new Date(now.getTime() + 1)), now)).toBe(true);
    expect(isInForce(subscription(now), now)).toBe(false);
    expect(isInForce(subscription(null), now)).toBe(true);
    expect(isInForce({ status: "pending", expiresAt: null }, now)).toBe(false);
  });
});

describe("the month of actions", () => {
  test("starts again every 30 days after the last reset, never in between", () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: 4000 * DAY_MS }), (lastReset, laterMs) => {
        const at = new Date(lastReset.getTime() + laterMs);
        const reset = lastResetAt(lastReset, at);
        expect((reset.getTime() - lastReset.getTime()) % (30 * DAY_MS)).toBe(0);
        expect(reset <= at && at < nextResetAt(reset)).toBe(true);
      }),
    );
  });

  test("a clock that was set back resets nothing", () => {
    expect(lastResetAt(now, addDays(now, -40))).toEqual(now);
  });
});

describe("use of a limit", () => {
  test("80 is shown, and the warning begins, at 80 % and never below", () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.integer({ min: 1, max: 5000 }), (used, limit) => {
        expect(usagePercentage(used, limit) >= 80).toBe(used * 100 >= limit * 80);
        expect(isNearLimit(used, limit)).toBe(used * 100 >= limit * 80);
      }),
    );
  });

  test("a limit of zero is used up", () => expect(usagePercentage(0, 0)).toBe(100));

  test("a plan is too small if an account holds more imaging exams, lab exams or bytes than it allows", () => {
    const plan = { examLimit: 10, storageBytes: 1000 };
    const full = { examCount: 10, labExamCount: 10, storageUsedBytes: 1000 };
    expect(tooSmallFor(plan, full)).toBeUndefined();
    expect(tooSmallFor(plan, { ...full, examCount: 11 })).toBe("exams");
    expect(tooSmallFor(plan, { ...full, labExamCount: 11 })).toBe("exams");
    expect(tooSmallFor(plan, { ...full, storageUsedBytes: 1001 })).toBe("storage");
  });
});

describe("the banner", () => {
  const after = (ms: number) => bannerFor(new Date(now.getTime() + ms), now);

  test("reminds from 7 days before the end, warns from 3, and says at 0 that the subscription is over", () => {
    expect(after(7 * DAY_MS + 1)).toBeUndefined();
    expect(after(7 * DAY_MS)).toEqual({ kind: "reminder", days: 7 });
    expect(after(3 * DAY_MS + 1)).toEqual({ kind: "reminder", days: 4 });
    expect(after(3 * DAY_MS)).toEqual({ kind: "expiring", days: 3 });
    expect(after(1)).toEqual({ kind: "expiring", days: 1 });
    expect(after(0)).toEqual({ kind: "expired", days: 0 });
    expect(after(-400 * DAY_MS)).toEqual({ kind: "expired", days: 0 });
  });

  test("is not shown for a subscription without an end", () => {
    expect(bannerFor(null, now)).toBeUndefined();
  });

  test("only gets more urgent as time goes by", () => {
    const urgency = { reminder: 1, expiring: 2, expired: 3 };
    fc.assert(
      fc.property(fc.integer({ min: -10, max: 240 }), fc.integer({ min: 0, max: 100 }), (hours, passed) => {
        const rank = (left: number) => {
          const banner = after(left * 3600_000);
          return banner ? urgency[banner.kind] : 0;
        };
        expect(rank(hours - passed)).toBeGreaterThanOrEqual(rank(hours));
      }),
    );
  });
});
