import { Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { Tabs } from "radix-ui";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { OldDataNotice } from "../../ui/old-data-notice.tsx";
import { viewStateAtom } from "../places/views.ts";
import { AccountSubscriptions } from "./account-subscriptions.tsx";
import { AdminPayments } from "./admin-payments.tsx";
import { AdminPlans } from "./admin-plans.tsx";
import { OpenRemovals } from "./open-removals.tsx";
import { RevenueChart } from "./revenue-chart.tsx";
import { SubscriptionsError } from "./subscriptions-error.tsx";
import { Totals } from "./totals.tsx";
import { useSummary } from "./use-admin-subscriptions.ts";

/** Everybody's subscriptions, for an admin: totals, revenue, payments to confirm, plans. */
export default function AdminSubscriptions() {
  const summary = useSummary();
  const { data, refetch } = summary;
  const error = useFailure(summary);
  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="subscriptions.title">Subscriptions</Trans>
        </h1>
      </div>
      {error && !data && <SubscriptionsError error={error} onRetry={refetch} />}
      {(data || !error) && (
        <>
          <OldDataNotice queries={[summary]} />
          <Totals summary={data} />
          <RevenueChart months={data?.revenueByMonth} />
          <AdminTabs pendingPayments={data?.pendingPayments ?? 0} />
        </>
      )}
    </>
  );
}

const tabAtom = viewStateAtom("tab", "payments");

function AdminTabs({ pendingPayments }: { pendingPayments: number }) {
  const [tab, setTab] = useAtom(tabAtom);
  return (
    <Tabs.Root value={tab} onValueChange={setTab}>
      <Tabs.List className="tabs can-scroll">
        <Tabs.Trigger value="payments">
          <Trans id="subscriptions.payments">Payments</Trans>
          {pendingPayments > 0 && <span className="admin-count">{pendingPayments}</span>}
        </Tabs.Trigger>
        <Tabs.Trigger value="accounts">
          <Trans id="subscriptions.accounts">Subscribers</Trans>
        </Tabs.Trigger>
        <Tabs.Trigger value="plans">
          <Trans id="subscriptions.plans">Plans</Trans>
        </Tabs.Trigger>
        <Tabs.Trigger value="removals">
          <Trans id="subscriptions.removals">Cancelled</Trans>
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="payments" className="tab">
        <AdminPayments />
      </Tabs.Content>
      <Tabs.Content value="accounts" className="tab">
        <AccountSubscriptions />
      </Tabs.Content>
      <Tabs.Content value="plans" className="tab">
        <AdminPlans />
      </Tabs.Content>
      <Tabs.Content value="removals" className="tab">
        <OpenRemovals />
      </Tabs.Content>
    </Tabs.Root>
  );
}
