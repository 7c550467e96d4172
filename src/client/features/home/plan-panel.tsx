import { Trans, useLingui } from "@lingui/react/macro";
import { MeterSkeleton } from "../../ui/meter.tsx";
import { PlanMeters } from "../plan/plan-meters.tsx";
import { planNameText } from "../plan/plan-name.ts";
import { SeePlans, SubscriptionLink } from "../plan/subscription-link.tsx";
import { useUsageStats } from "../plan/use-subscription.ts";
import { HomePanel } from "./home-panel.tsx";

/** The person's plan and what is left of it. */
export function PlanPanel() {
  const { i18n } = useLingui();
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
      {(stats) => <div className="home-meters">{stats ? <PlanMeters usage={stats} /> : <SeePlans />}</div>}
    </HomePanel>
  );
}
