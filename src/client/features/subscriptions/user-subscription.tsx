import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { ErrorCard } from "../../ui/error-card.tsx";
import { type FailedQuery, useFailure } from "../../ui/hooks/use-failure.ts";
import { MeterSkeleton } from "../../ui/meter.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { usePlans, useUsageStats } from "../plan/use-subscription.ts";
import { maySubscribe, useHis } from "../session/his-context.ts";
import { useMySubscription } from "../session/use-my-subscription.ts";
import { CurrentSubscription } from "./current-subscription.tsx";
import { PlanTabs } from "./plan-tabs.tsx";
import { SubscriptionNotices } from "./subscription-notices.tsx";

/** The person's plan, what is left of it, and the other plans. */
export function UserSubscription() {
  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="menu.subscription">Subscription</Trans>
        </h1>
      </div>
      <Body />
    </>
  );
}

function Body() {
  const mayChoose = maySubscribe(useHis().user);
  const plans = usePlans({ enabled: mayChoose });
  const subscription = useMySubscription({ enabled: true });
  const usage = useUsageStats({ enabled: true });
  const failures = {
    plans: useFirstFailure(plans),
    subscription: useFirstFailure(subscription),
    usage: useFirstFailure(usage),
  };
  if (Object.values(failures).some(Boolean)) return <LoadFailure {...failures} />;
  const isLoading = (mayChoose && !plans.data) || subscription.isPending || usage.isPending;
  if (isLoading) return <SubscriptionSkeleton hasPlans={mayChoose} />;
  const mine = subscription.data ?? null;
  return (
    <>
      <SubscriptionNotices subscription={mine} />
      {mine && <CurrentSubscription subscription={mine} usage={usage.data ?? null} />}
      {plans.data && <PlanTabs plans={plans.data} subscription={mine} />}
    </>
  );
}

/** Why data were never read. What is there stays while it can't be read again, and so does a dialog that is open over it. */
function useFirstFailure(query: FailedQuery): Error | undefined {
  const failure = useFailure(query);
  return query.data === undefined ? failure : undefined;
}

interface LoadFailureProps {
  plans: Error | undefined;
  subscription: Error | undefined;
  usage: Error | undefined;
}

function LoadFailure({ plans, subscription, usage }: LoadFailureProps) {
  return (
    <section className="subscription-failed">
      <ErrorCard
        title={<Trans id="subscription.failed">Error loading the subscription</Trans>}
        action={{
          label: <Trans id="action.retry">Try again</Trans>,
          run: () => window.location.reload(),
        }}
      >
        <FailureLine error={plans} label={<Trans id="subscription.failed.plans">Plans</Trans>} />
        <FailureLine error={subscription} label={<Trans id="menu.subscription">Subscription</Trans>} />
        <FailureLine error={usage} label={<Trans id="subscription.failed.usage">Usage</Trans>} />
      </ErrorCard>
    </section>
  );
}

function FailureLine({ error, label }: { error: Error | undefined; label: ReactNode }) {
  if (!error) return null;
  return (
    <span>
      {label}: {error.message}
    </span>
  );
}

function SubscriptionSkeleton({ hasPlans }: { hasPlans: boolean }) {
  return (
    <div aria-busy="true" className="subscription-skeleton">
      <div className="panel current">
        <div>
          <Skeleton className="my-1 h-3 w-16" />
          <Skeleton className="my-2 h-5 w-40" />
          <Skeleton className="my-1 h-3 w-48" />
        </div>
        <MeterSkeleton />
        <MeterSkeleton />
        <MeterSkeleton />
      </div>
      {hasPlans && <PlansSkeleton />}
    </div>
  );
}

function PlansSkeleton() {
  return (
    <>
      <div className="tabs">
        <Skeleton className="my-3 w-32" />
        <Skeleton className="my-3 w-28" />
      </div>
      <ul className="panel plans">
        {[1, 2, 3, 4].map((row) => (
          <li key={row}>
            <Skeleton className="plan-slices" />
            <Skeleton className="h-4 w-24 max-w-full" />
            <Skeleton className="plan-gives w-28 max-w-full" />
            <Skeleton className="plan-gives w-24 max-w-full" />
            <Skeleton className="plan-gives w-16 max-w-full" />
            <div className="plan-price">
              <Skeleton className="ml-auto h-5 w-24" />
            </div>
            <Skeleton shape="control" />
          </li>
        ))}
      </ul>
    </>
  );
}
