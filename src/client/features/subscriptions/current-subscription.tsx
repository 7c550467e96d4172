import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import type { Subscription, UsageStats } from "../../../shared/api/subscriptions.ts";
import { isNearLimit, nextResetAt } from "../../../shared/rules/subscription.ts";
import { Button } from "../../ui/button.tsx";
import { TriangleAlertIcon } from "../../ui/icons.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { openAtom } from "../places/views.ts";
import { PlanMeters } from "../plan/plan-meters.tsx";
import { planNameText } from "../plan/plan-name.ts";
import { CancelDialog } from "./cancel-dialog.tsx";

const statuses: Record<Subscription["status"] | "cancelled", { name: MessageDescriptor; tone: string }> = {
  active: { name: msg({ id: "subscription.status.active", message: "Active" }), tone: "is-ok" },
  pending: {
    name: msg({ id: "subscription.status.pending", message: "Awaiting payment" }),
    tone: "is-moving",
  },
  expired: { name: msg({ id: "subscription.status.expired", message: "Expired" }), tone: "is-bad" },
  cancelled: { name: msg({ id: "subscription.status.cancelled", message: "Cancelled" }), tone: "" },
};

interface CurrentSubscriptionProps {
  subscription: Subscription;
  usage: UsageStats | null;
}

const isCancellingAtom = openAtom("cancel");

/** The person's plan, its end and its usage. */
export function CurrentSubscription({ subscription, usage }: CurrentSubscriptionProps) {
  const { i18n, t } = useLingui();
  const [isCancelling, setCancelling] = useAtom(isCancellingAtom);
  const { plan, status } = subscription;
  const shownStatus = statuses[subscription.cancelledAt ? "cancelled" : status];
  const planName = planNameText(i18n, plan.name);
  return (
    <section
      className="panel current"
      aria-label={t({ id: "subscription.current", message: "Current subscription" })}
    >
      <div>
        <span className={`dot ${shownStatus.tone}`}>{i18n._(shownStatus.name)}</span>
        <h2>
          <Trans id="planStrip.plan">{planName} plan</Trans>
        </h2>
        <p>
          <Runs subscription={subscription} />
        </p>
      </div>
      {usage && <PlanMeters usage={usage} />}
      {subscription.canCancel && (
        <div className="current-cancel">
          <Button kind="quiet" size="small" onClick={() => setCancelling(true)}>
            <Trans id="subscription.cancel">Cancel subscription</Trans>
          </Button>
        </div>
      )}
      {usage && status === "active" && <ActionNote usage={usage} />}
      <CancelDialog open={isCancelling} onClose={() => setCancelling(false)} />
    </section>
  );
}

function Runs({
  subscription: { status, startDate, expiresAt, cancelledAt },
}: {
  subscription: Subscription;
}) {
  if (cancelledAt) {
    const day = dayText(cancelledAt);
    return <Trans id="subscription.cancelledOn">Cancelled on {day}</Trans>;
  }
  const start = dayText(startDate);
  const end = expiresAt && dayText(expiresAt);
  if (status === "pending" && !end) {
    return <Trans id="subscription.starts">Starts when the payment comes in</Trans>;
  }
  if (!end) return <Trans id="subscription.since">Since {start}, with no end date</Trans>;
  if (status !== "active") return <Trans id="subscription.ended">Ended on {end}</Trans>;
  return (
    <Trans id="subscription.fromTo">
      Since {start}, until {end}
    </Trans>
  );
}

/** The date on which the count of actions is reset; a warning from 80 % on. */
function ActionNote({ usage }: { usage: UsageStats }) {
  const percent = usage.actionUsagePercentage;
  const day = dayText(nextResetAt(new Date(usage.lastResetDate)).toISOString());
  if (isNearLimit(usage.totalActionsThisMonth, usage.actionLimit)) {
    return (
      <p className="current-note is-warn">
        <TriangleAlertIcon small />
        <Trans id="planStrip.warning">
          You have used {percent}% of this month's actions. The count starts again on {day}.
        </Trans>
      </p>
    );
  }
  return (
    <p className="current-note">
      <Trans id="subscription.reset">The count of actions starts again on {day}.</Trans>
    </p>
  );
}
