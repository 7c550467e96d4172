import type {
  AccountSubscription,
  SubscriptionListQuery,
  SubscriptionSummary,
} from "../../../shared/api/subscriptions.ts";
import type { Deps } from "../../deps.ts";
import { BRAZIL_OFFSET_MS } from "../../runtime/brazil-time.ts";
import { countUsers } from "../accounts/users/users.repo.ts";
import { countLabExams } from "../labs/labs.repo.ts";
import { countUnconfirmed } from "../payments/payments.repo.ts";
import { type MonthRow, sumRevenueByMonth } from "../payments/revenue.repo.ts";
import { countStudiesOfAll } from "../studies/studies.repo.ts";
import { findCancelledAccounts } from "../subscriptions/cancellations.repo.ts";
import { presentAdminPlan, presentPlan } from "../subscriptions/present-plan.ts";
import { countActiveSubscriptions, listPlansWithUse } from "../subscriptions/subscriptions.repo.ts";
import { presentSubscription } from "./read-subscription.ts";
import { listSubscriptions } from "./subscription-list.repo.ts";

const MONTHS = 12;

/** The figures of the admin's view. */
export async function readSummary(deps: Pick<Deps, "db" | "clock">): Promise<SubscriptionSummary> {
  const { db, clock } = deps;
  const now = clock.now();
  const months = lastMonths(now);
  const [users, activeSubscriptions, studies, labExams, plans, revenue, pendingPayments] = await Promise.all([
    countUsers(db),
    countActiveSubscriptions(db, now),
    countStudiesOfAll(db),
    countLabExams(db),
    listPlansWithUse(db, now),
    sumRevenueByMonth(db, new Date(Date.parse(`${months[0]}-01T00:00:00Z`) - BRAZIL_OFFSET_MS)),
    countUnconfirmed(db, now),
  ]);
  const revenueByMonth = months.map((month) => ofMonth(revenue, month));
  return {
    users,
    activeSubscriptions,
    totalExams: studies + labExams,
    monthlyRevenue: revenueByMonth.at(-1)?.amountCents ?? 0,
    revenueByMonth: revenueByMonth.map(({ amountCents, ...month }) => ({ ...month, amount: amountCents })),
    plans: plans.map(presentAdminPlan),
    pendingPayments,
  };
}

/** A page of all accounts' subscriptions, and how many are on all pages. */
export async function readAccountSubscriptions(
  deps: Pick<Deps, "db" | "clock">,
  query: SubscriptionListQuery,
): Promise<{ subscriptions: AccountSubscription[]; total: number }> {
  const now = deps.clock.now();
  const { rows, total } = await listSubscriptions(deps.db, query, now);
  const cancelled = await findCancelledAccounts(
    deps.db,
    rows.map(({ user }) => user.id),
  );
  const presented = rows.map(({ user, plan, subscription, ...known }) => {
    const around = { ...known, isCancelled: cancelled.has(user.id), removedUntil: null, keptUntil: null };
    return {
      user,
      plan: presentPlan(plan),
      subscription: presentSubscription(subscription, plan, now, around),
    };
  });
  return { subscriptions: presented, total };
}

/** `YYYY-MM` of the last twelve months in Brazil's time zone, oldest first. */
function lastMonths(now: Date): string[] {
  const brazilNow = new Date(now.getTime() + BRAZIL_OFFSET_MS);
  return Array.from({ length: MONTHS }, (_, index) => {
    const month = new Date(
      Date.UTC(brazilNow.getUTCFullYear(), brazilNow.getUTCMonth() - (MONTHS - 1) + index, 1),
    );
    return month.toISOString().slice(0, 7);
  });
}

function ofMonth(rows: MonthRow[], month: string): MonthRow {
  return rows.find((row) => row.month === month) ?? { month, amountCents: 0, payments: 0 };
}
