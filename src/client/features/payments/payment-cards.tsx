import { useLingui } from "@lingui/react/macro";
import { CardsSkeleton } from "../../ui/skeleton.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { planNameText } from "../plan/plan-name.ts";
import { PaymentStatusBadge, ReturnedPart } from "./payment-status.tsx";
import { DetailsButton, type PaymentListProps } from "./payment-table.tsx";
import { moneyText } from "./payment-text.ts";

/** The payments as a stack of cards, on a phone; undefined while they are being loaded. */
export function PaymentCards({ payments, onOpen }: PaymentListProps) {
  const { i18n } = useLingui();
  if (!payments) return <CardsSkeleton />;
  return (
    <ul className="payment-cards">
      {payments.map((payment) => (
        <li key={payment.id} className="payment-card">
          <div>
            <b>{planNameText(i18n, payment.planName)}</b>
            <span className="payment-card-line">
              <time dateTime={payment.createdAt}>{dayText(payment.createdAt)}</time>
              <PaymentStatusBadge status={payment.status} />
              <ReturnedPart payment={payment} />
            </span>
          </div>
          <b className="payment-card-amount">{moneyText(i18n, payment.amount)}</b>
          <DetailsButton payment={payment} onOpen={() => onOpen(payment)} />
        </li>
      ))}
    </ul>
  );
}
