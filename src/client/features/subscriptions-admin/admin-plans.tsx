import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { AdminPlan } from "../../../shared/api/subscriptions.ts";
import { Button } from "../../ui/button.tsx";
import { PencilIcon } from "../../ui/icons.tsx";
import { moneyText } from "../payments/payment-text.ts";
import { useDialogValue } from "../places/use-dialog-value.ts";
import { dialogIdAtom } from "../places/views.ts";
import { PlanLimits } from "../plan/plan-limits.tsx";
import { adminSubscriptionsApi } from "./admin-subscriptions-api.ts";
import { EditPlanDialog } from "./edit-plan-dialog.tsx";
import { useAdminAction } from "./use-admin-action.ts";
import { useSummary } from "./use-admin-subscriptions.ts";

/** Id of the plan that is being edited. */
const editedPlanAtom = dialogIdAtom("plan");

/** Every plan with its number of users. Admins can edit a plan or use it themselves. */
export function AdminPlans() {
  const { data } = useSummary();
  const [edited, setEditedId] = useDialogValue(editedPlanAtom, data?.plans);
  return (
    <section className="panel admin-panel">
      <ul className="admin-rows">
        {data?.plans.map((plan) => (
          <PlanRow key={plan.id} plan={plan} onEdit={() => setEditedId(plan.id)} />
        ))}
      </ul>
      <EditPlanDialog plan={edited} onClose={() => setEditedId(undefined)} />
    </section>
  );
}

function PlanRow({ plan, onEdit }: { plan: AdminPlan; onEdit: () => void }) {
  const { i18n, t } = useLingui();
  const choice = useChoice();
  const { name, price: priceCents, periodDays, activeUsers } = plan;
  return (
    <li>
      <div className="admin-who">
        <b>{name}</b>
        <span>
          {plan.canBeOffered ? (
            plan.isOffered ? (
              <Trans id="subscriptions.plan.offered">Offered</Trans>
            ) : (
              <Trans id="subscriptions.plan.hidden">Not offered</Trans>
            )
          ) : (
            <Trans id="subscriptions.plan.given">Given by the system</Trans>
          )}
        </span>
      </div>
      <div>
        <b>{plan.canBeOffered ? moneyText(i18n, priceCents) : "—"}</b>
        {plan.canBeOffered && (
          <span>
            <Trans id="subscription.forDays">per {periodDays} days</Trans>
          </span>
        )}
      </div>
      <div>
        <PlanLimits plan={plan} />
        <span>
          <Plural
            id="subscriptions.activeUsers"
            value={activeUsers}
            one="# active user"
            other="# active users"
          />
        </span>
      </div>
      <div className="admin-actions">
        {plan.isOffered && (
          <Button
            size="small"
            disabled={choice.isPending}
            aria-label={t({ id: "subscriptions.plan.takeNamed", message: `Use it: ${name}` })}
            onClick={() => choice.mutate(plan)}
          >
            <Trans id="subscriptions.plan.take">Use it</Trans>
          </Button>
        )}
        <Button
          size="small"
          aria-label={t({ id: "subscriptions.plan.editNamed", message: `Edit the plan ${name}` })}
          onClick={onEdit}
        >
          <PencilIcon small />
          <Trans id="action.edit">Edit</Trans>
        </Button>
      </div>
    </li>
  );
}

function useChoice() {
  const { t } = useLingui();
  return useAdminAction({
    run: ({ id }: AdminPlan) => adminSubscriptionsApi.choosePlan(id),
    done: (_answer, { name }) => ({
      title: t({ id: "subscriptions.plan.taken", message: `You use ${name} now` }),
    }),
  });
}
