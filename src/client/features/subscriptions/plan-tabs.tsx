import { Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { Tabs } from "radix-ui";
import type { OfferedPlan, Subscription } from "../../../shared/api/subscriptions.ts";
import { useDialogValue } from "../places/use-dialog-value.ts";
import { dialogIdAtom, viewStateAtom } from "../places/views.ts";
import { PlanRows } from "./plan-rows.tsx";
import { SubscribeDialog } from "./subscribe-dialog.tsx";
import { UsageHistory } from "./usage-history.tsx";

interface PlanTabsProps {
  plans: OfferedPlan[];
  subscription: Subscription | null;
}

/** Id of the plan whose subscription is being asked about. */
const chosenPlanAtom = dialogIdAtom("subscribe");
const tabAtom = viewStateAtom("tab", "plans");

/** The plans on offer, and the usage history of the present one. */
export function PlanTabs({ plans, subscription }: PlanTabsProps) {
  const [tab, setTab] = useAtom(tabAtom);
  const [chosen, setChosenId] = useDialogValue(chosenPlanAtom, plans);
  return (
    <Tabs.Root value={tab} onValueChange={setTab}>
      <Tabs.List className="tabs">
        <Tabs.Trigger value="plans">
          <Trans id="subscription.plans">Available plans</Trans>
        </Tabs.Trigger>
        <Tabs.Trigger value="history">
          <Trans id="subscription.history">Usage history</Trans>
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="plans" className="tab">
        <PlanRows plans={plans} subscription={subscription} onChoose={({ id }) => setChosenId(id)} />
      </Tabs.Content>
      <Tabs.Content value="history" className="tab">
        <UsageHistory />
      </Tabs.Content>
      <SubscribeDialog plan={chosen} subscription={subscription} onClose={() => setChosenId(undefined)} />
    </Tabs.Root>
  );
}
