import { Trans } from "@lingui/react/macro";
import { Tabs } from "radix-ui";
import { useState } from "react";
import type { OfferedPlan, Subscription } from "../../../shared/api/subscriptions.ts";
import { PlanRows } from "./plan-rows.tsx";
import { SubscribeDialog } from "./subscribe-dialog.tsx";
import { UsageHistory } from "./usage-history.tsx";

interface PlanTabsProps {
  plans: OfferedPlan[];
  subscription: Subscription | null;
}

/** The plans that can be chosen, and what was done under the present one. */
export function PlanTabs({ plans, subscription }: PlanTabsProps) {
  const [chosen, setChosen] = useState<OfferedPlan>();
  return (
    <Tabs.Root defaultValue="plans">
      <Tabs.List className="tabs">
        <Tabs.Trigger value="plans">
          <Trans id="subscription.plans">Available plans</Trans>
        </Tabs.Trigger>
        <Tabs.Trigger value="history">
          <Trans id="subscription.history">Usage history</Trans>
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="plans" className="tab">
        <PlanRows plans={plans} subscription={subscription} onChoose={setChosen} />
      </Tabs.Content>
      <Tabs.Content value="history" className="tab">
        <UsageHistory />
      </Tabs.Content>
      <SubscribeDialog plan={chosen} subscription={subscription} onClose={() => setChosen(undefined)} />
    </Tabs.Root>
  );
}
