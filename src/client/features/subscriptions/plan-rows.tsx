import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { OfferedPlan, Subscription } from "../../../shared/api/subscriptions.ts";
import { Button } from "../../ui/button.tsx";
import { limitText } from "../../ui/text/limit-text.ts";
import { moneyText } from "../payments/payment-text.ts";
import { viewAtom } from "../places/views.ts";
import { PlanLimits } from "../plan/plan-limits.tsx";
import { planNameText } from "../plan/plan-name.ts";
import { useHis } from "../session/his-context.ts";
import { PlanSlices } from "./plan-slices.tsx";

interface PlanRowsProps {
  plans: OfferedPlan[];
  subscription: Subscription | null;
  onChoose: (plan: OfferedPlan) => void;
}

/** The plans on offer, the smallest first. */
export function PlanRows({ plans, subscription, onChoose }: PlanRowsProps) {
  const { pix } = useHis();
  if (plans.length === 0) {
    return (
      <p className="plans-none panel">
        <Trans id="subscription.noPlans">No plan is offered at the moment.</Trans>
      </p>
    );
  }
  return (
    <>
      {pix === "none" && <NoPix />}
      <ul className="panel plans">
        {plans.map((plan) => (
          <PlanRow key={plan.id} plan={plan} subscription={subscription} onChoose={() => onChoose(plan)} />
        ))}
      </ul>
      <p className="plans-note">
        <Trans id="subscription.periods">
          Up to 50 exams, each payment is good for 30 days. Above 50, for 365 days.
        </Trans>
      </p>
    </>
  );
}

/** Why the plans can be read and not bought. */
function NoPix() {
  const setView = useSetAtom(viewAtom);
  return (
    <p className="notice is-warn" role="status">
      <span>
        <Trans id="subscription.noPix">
          Payments are not set up here yet, so no plan can be bought on this page. Support can help you.
        </Trans>
      </span>
      <Button size="small" onClick={() => setView("support")}>
        <Trans id="menu.support">Support</Trans>
      </Button>
    </p>
  );
}

interface PlanRowProps {
  plan: OfferedPlan;
  subscription: Subscription | null;
  onChoose: () => void;
}

function PlanRow({ plan, subscription, onChoose }: PlanRowProps) {
  const { i18n } = useLingui();
  const { name, examLimit, price: priceCents, periodDays } = plan;
  const isSame = subscription?.plan.id === plan.id && subscription.status !== "pending";
  const isCurrent = isSame && subscription.status === "active";
  return (
    <li className={isCurrent ? "is-current" : ""}>
      <PlanSlices examLimit={examLimit} />
      <div>
        <h3>{planNameText(i18n, name)}</h3>
        {isCurrent && (
          <span className="plan-yours">
            <Trans id="subscription.yours">Your plan</Trans>
          </span>
        )}
      </div>
      <PlanLimits className="plan-gives" plan={plan} />
      <div className="plan-price">
        <b>{moneyText(i18n, priceCents)}</b>
        <span>
          <Trans id="subscription.forDays">per {periodDays} days</Trans>
        </span>
      </div>
      <Choice plan={plan} subscription={subscription} isSame={isSame} onChoose={onChoose} />
    </li>
  );
}

/** The button, or the reason why it is missing: a plan without end is not renewed, and a plan must hold what is stored. */
function Choice({ plan, subscription, isSame, onChoose }: PlanRowProps & { isSame: boolean }) {
  const { i18n, t } = useLingui();
  const name = planNameText(i18n, plan.name);
  const { pix } = useHis();
  if (isSame && subscription?.status === "active" && subscription.expiresAt === null) {
    return (
      <p className="plan-why">
        <Trans id="subscription.endless">Has no end date</Trans>
      </p>
    );
  }
  const kept = subscription?.currentExamCount ?? 0;
  if (!isSame && kept > plan.examLimit) {
    return (
      <p className="plan-why">
        <Plural
          id="subscription.tooSmall"
          value={kept}
          one="You keep # exam: more than this plan holds"
          other="You keep # exams: more than this plan holds"
        />
      </p>
    );
  }
  const usedBytes = subscription?.storageUsedBytes ?? 0;
  if (!isSame && usedBytes > plan.storageBytes) {
    const used = limitText(i18n, usedBytes);
    return (
      <p className="plan-why">
        <Trans id="subscription.tooSmallForBytes">You keep {used}: more than this plan holds</Trans>
      </p>
    );
  }
  if (pix === "none") return null;
  const isRenewal = isSame && !subscription?.cancelledAt;
  const label = isRenewal
    ? t({ id: "subscription.renewPlan", message: `Renew ${name}` })
    : t({ id: "subscription.choosePlan", message: `Subscribe to ${name}` });
  return (
    <Button aria-label={label} onClick={onChoose}>
      {isRenewal ? (
        <Trans id="subscription.renew">Renew</Trans>
      ) : (
        <Trans id="subscription.choose">Subscribe</Trans>
      )}
    </Button>
  );
}
