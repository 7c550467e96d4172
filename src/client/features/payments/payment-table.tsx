import { Trans, useLingui } from "@lingui/react/macro";
import type { Payment } from "../../../shared/api/payments.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { dayText } from "../users/user-text.ts";
import { PaymentStatusBadge } from "./payment-status.tsx";
import { moneyText } from "./payment-text.ts";

const SKELETON_ROWS = [1, 2, 3, 4];
const columns = [
  <Trans key="date" id="payments.date">
    Date
  </Trans>,
  <Trans key="plan" id="payments.plan">
    Plan
  </Trans>,
  <Trans key="amount" id="payments.amount">
    Amount
  </Trans>,
  <Trans key="status" id="payments.status">
    Status
  </Trans>,
  <Trans key="paidOn" id="payments.paidOn">
    Paid on
  </Trans>,
];

export interface PaymentListProps {
  payments: Payment[] | undefined;
  onOpen: (payment: Payment) => void;
}

/** The payments on a desk; undefined while they are being loaded. */
export function PaymentTable({ payments, onOpen }: PaymentListProps) {
  return (
    <table className="payment-table" aria-busy={payments === undefined}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.key} scope="col">
              {column}
            </th>
          ))}
          <th scope="col">
            <span className="sr-only">
              <Trans id="payments.details">Details</Trans>
            </span>
          </th>
        </tr>
      </thead>
      <tbody>
        {payments
          ? payments.map((payment) => (
              <PaymentRow key={payment.id} payment={payment} onOpen={() => onOpen(payment)} />
            ))
          : SKELETON_ROWS.map((row) => <SkeletonRow key={row} />)}
      </tbody>
    </table>
  );
}

function PaymentRow({ payment, onOpen }: { payment: Payment; onOpen: () => void }) {
  const { i18n } = useLingui();
  const { createdAt, paymentDate, planName, amount, status } = payment;
  return (
    <tr>
      <td>
        <time dateTime={createdAt}>{dayText(createdAt)}</time>
      </td>
      <th scope="row">{planName}</th>
      <td>{moneyText(i18n, amount)}</td>
      <td>
        <PaymentStatusBadge status={status} />
      </td>
      <td>{paymentDate === null ? "—" : <time dateTime={paymentDate}>{dayText(paymentDate)}</time>}</td>
      <td>
        <DetailsButton payment={payment} onOpen={onOpen} />
      </td>
    </tr>
  );
}

export function DetailsButton({ payment, onOpen }: { payment: Payment; onOpen: () => void }) {
  const { t } = useLingui();
  const day = dayText(payment.createdAt);
  return (
    <Button
      size="small"
      aria-label={t({ id: "payments.detailsOf", message: `Details of the payment of ${day}` })}
      onClick={onOpen}
    >
      <Trans id="payments.details">Details</Trans>
    </Button>
  );
}

function SkeletonRow() {
  return (
    <tr>
      {columns.map((column) => (
        <td key={column.key}>
          <Skeleton className="w-24" />
        </td>
      ))}
      <td>
        <Skeleton className="ml-auto w-16" />
      </td>
    </tr>
  );
}
