import type { AdminPlan, OfferedPlan, Plan } from "../../../shared/api/subscriptions.ts";
import { periodDays } from "../../../shared/rules/subscription.ts";
import type { PlanRow } from "./subscriptions.repo.ts";

export function presentPlan({ priceCents, ...row }: PlanRow): Plan {
  const { id, name, examLimit, downloadDeleteLimit, storageBytes } = row;
  return { id, name, price: priceCents, examLimit, downloadDeleteLimit, storageBytes };
}

export function presentOfferedPlan(row: PlanRow): OfferedPlan {
  return { ...presentPlan(row), periodDays: periodDays(row) };
}

/** The system itself assigns these: to accounts that register and to invited ones. */
const givenPlans: readonly string[] = ["avaliacao", "cortesia"];

export function canBeOffered({ slug }: Pick<PlanRow, "slug">): boolean {
  return !givenPlans.includes(slug);
}

export function presentAdminPlan({ plan, activeUsers }: { plan: PlanRow; activeUsers: number }): AdminPlan {
  return {
    ...presentOfferedPlan(plan),
    isOffered: plan.isOffered,
    canBeOffered: canBeOffered(plan),
    activeUsers,
  };
}
