import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { SubscriptionSummary } from "../../../shared/api/subscriptions.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { moneyText } from "../payments/payment-text.ts";

/** Four numbers; undefined while they are being counted. */
export function Totals({ summary }: { summary: SubscriptionSummary | undefined }) {
  const { i18n } = useLingui();
  const number = (value: number | undefined) => value !== undefined && i18n.number(value);
  return (
    <dl className="panel totals" aria-busy={summary === undefined}>
      <Total label={<Trans id="subscriptions.users">Users</Trans>}>{number(summary?.users)}</Total>
      <Total label={<Trans id="subscriptions.active">Active subscriptions</Trans>}>
        {number(summary?.activeSubscriptions)}
      </Total>
      <Total label={<Trans id="subscriptions.exams">Exams kept</Trans>}>{number(summary?.totalExams)}</Total>
      <Total label={<Trans id="subscriptions.revenue">Revenue this month</Trans>}>
        {summary && moneyText(i18n, summary.monthlyRevenue)}
      </Total>
    </dl>
  );
}

function Total({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children || <Skeleton className="h-7 w-20" />}</dd>
    </div>
  );
}
