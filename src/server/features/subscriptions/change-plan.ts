import type { AdminPlan, PlanChange } from "../../../shared/api/subscriptions.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { canBeOffered, presentAdminPlan } from "./present-plan.ts";
import { planNotFound, planNotOfferable } from "./subscriptions.errors.ts";
import { listPlansWithUse, lockPlan, updatePlan } from "./subscriptions.repo.ts";

/**
 * An admin's change of a plan. New limits apply at once to its accounts; an open payment keeps its price.
 * @throws {AppError} `plan.not_found`, `plan.not_offerable`
 */
export async function changePlan(
  deps: Pick<Deps, "db" | "clock">,
  admin: Session,
  id: string,
  change: PlanChange,
  origin: RequestOrigin,
): Promise<AdminPlan> {
  const { db, clock } = deps;
  const now = clock.now();
  await db.transaction(async (tx) => {
    const plan = await lockPlan(tx, id);
    if (!plan) throw new AppError(planNotFound);
    const { name, price, examLimit, downloadDeleteLimit, storageBytes, isOffered } = change;
    if (!canBeOffered(plan) && (price !== undefined || isOffered === true))
      throw new AppError(planNotOfferable);
    await updatePlan(tx, id, {
      name: name ?? plan.name,
      priceCents: price ?? plan.priceCents,
      examLimit: examLimit ?? plan.examLimit,
      downloadDeleteLimit: downloadDeleteLimit ?? plan.downloadDeleteLimit,
      storageBytes: storageBytes ?? plan.storageBytes,
      isOffered: isOffered ?? plan.isOffered,
    });
    await recordAudit(tx, {
      at: now,
      action: "plan.changed",
      actorId: admin.userId,
      accountId: null,
      details: { plan: plan.slug, ...change },
      ...origin,
    });
  });
  const changed = (await listPlansWithUse(db, now)).find(({ plan }) => plan.id === id);
  if (!changed) throw new AppError(planNotFound);
  return presentAdminPlan(changed);
}
