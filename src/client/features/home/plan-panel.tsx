import { Trans, useLingui } from "@lingui/react/macro";
import { Meter, MeterSkeleton } from "../../ui/meter.tsx";
import { planNameText } from "../plan/plan-name.ts";
import { StorageMeter } from "../plan/storage-meter.tsx";
import { SeePlans, SubscriptionLink } from "../plan/subscription-link.tsx";
import { useUsageStats } from "../plan/use-subscription.ts";
import { HomePanel } from "./home-panel.tsx";

/** The person's plan and what is left of it. */
export function PlanPanel() {
  const { i18n, t } = useLingui();
  const usage = useUsageStats({ enabled: true });
  const planName = usage.data && planNameText(i18n, usage.data.planName);
  return (
    <HomePanel
      title={
        planName ? (
          <Trans id="planStrip.plan">{planName} plan</Trans>
        ) : (
          <Trans id="home.plan">Your plan</Trans>
        )
      }
      link={
        <SubscriptionLink className="link">
          <Trans id="menu.subscription">Subscription</Trans>
        </SubscriptionLink>
      }
      query={usage}
      place={
        <div className="panel home-panel home-meters">
          <MeterSkeleton />
          <MeterSkeleton />
          <MeterSkeleton />
        </div>
      }
    >
      {(stats) => (
        <div className="home-meters">
          {stats ? (
            <>
              <Meter
                label={t({ id: "planStrip.exams", message: "Exams" })}
                used={stats.currentExamCount}
                limit={stats.examLimit}
              />
              <Meter
                label={t({ id: "planStrip.actions", message: "Actions this month" })}
                used={stats.totalActionsThisMonth}
                limit={stats.actionLimit}
              />
              <StorageMeter usage={stats} />
            </>
          ) : (
            <SeePlans />
          )}
        </div>
      )}
    </HomePanel>
  );
}
