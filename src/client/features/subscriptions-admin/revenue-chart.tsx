import { Trans, useLingui } from "@lingui/react/macro";
import type { SubscriptionSummary } from "../../../shared/api/subscriptions.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { moneyText } from "../payments/payment-text.ts";

type Month = SubscriptionSummary["revenueByMonth"][number];

/** Revenue of the last twelve months as bars, and as a table for screen readers. An amount is written if its bar has room. */
export function RevenueChart({ months }: { months: Month[] | undefined }) {
  return (
    <section className="panel revenue" aria-labelledby="revenue-title">
      <h2 id="revenue-title">
        <Trans id="subscriptions.revenueByMonth">Revenue by month</Trans>
      </h2>
      {months ? <Bars months={months} /> : <Skeleton shape="control" className="revenue-waiting" />}
    </section>
  );
}

function Bars({ months }: { months: Month[] }) {
  const { i18n } = useLingui();
  const highest = Math.max(1, ...months.map(({ amount: amountCents }) => amountCents));
  return (
    <table className="revenue-bars">
      <caption className="sr-only">
        <Trans id="subscriptions.revenueByMonth">Revenue by month</Trans>
      </caption>
      <tbody>
        {months.map((month) => {
          const share = { "--revenue-share": Math.max(0, month.amount) / highest };
          const money = moneyText(i18n, month.amount);
          return (
            <tr key={month.month} style={share} title={`${monthText(i18n.locale, month.month)}: ${money}`}>
              <th scope="row">{monthText(i18n.locale, month.month)}</th>
              <td>
                <i aria-hidden="true" />
                <span>{money}</span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Formats `2026-11` as `nov/26`. */
function monthText(locale: string, month: string): string {
  const first = new Date(`${month}-01T12:00:00Z`);
  const name = new Intl.DateTimeFormat(locale, { month: "short", timeZone: "UTC" }).format(first);
  return `${name.replace(".", "")}/${month.slice(2, 4)}`;
}
