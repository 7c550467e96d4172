import { Trans, useLingui } from "@lingui/react/macro";
import type { Payment } from "../../../shared/api/payments.ts";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { planNameText } from "../plan/plan-name.ts";
import { PaymentStatusBadge, ReturnedPart } from "./payment-status.tsx";
import { moneyText } from "./payment-text.ts";

const columns: DataColumn[] = [
  { key: "date", name: <Trans id="payments.date">Date</Trans> },
  { key: "plan", name: <Trans id="payments.plan">Plan</Trans> },
  { key: "amount", name: <Trans id="payments.amount">Amount</Trans> },
  { key: "status", name: <Trans id="payments.status">Status</Trans> },
  { key: "paidOn", name: <Trans id="payments.paidOn">Paid on</Trans> },
  {
    key: "details",
    name: (
      <span className="sr-only">
        <Trans id="payments.details">Details</Trans>
      </span>
    ),
    skeleton: "ml-auto w-16",
  },
];

export interface PaymentListProps {
  payments: Payment[] | undefined;
  onOpen: (payment: Payment) => void;
}

/** The payments on a desktop; undefined while they are being loaded. */
export function PaymentTable({ payments, onOpen }: PaymentListProps) {
  return (
    <DataTable className="payment-table" columns={columns} rows={payments}>
      {(payment) => <PaymentRow key={payment.id} payment={payment} onOpen={() => onOpen(payment)} />}
    </DataTable>
  );
}

function PaymentRow({ payment, onOpen }: { payment: Payment; onOpen: () => void }) {
  const { i18n } = useLingui();
  const { createdAt, paymentDate, planName, amount: amountCents, status } = payment;
  return (
    <tr>
      <td>
        <time dateTime={createdAt}>{dayText(createdAt)}</time>
      </td>
      <th scope="row">{planNameText(i18n, planName)}</th>
      <td>{moneyText(i18n, amountCents)}</td>
      <td>
        <PaymentStatusBadge status={status} />
        <ReturnedPart payment={payment} />
      </td>
      <td>{paymentDate === null ? "—" : <time dateTime={paymentDate}>{dayText(paymentDate)}</time>}</td>
      <td>
        <DetailsButton payment={payment} onOpen={onOpen} />
      </td>
    </tr>
  );
}

interface DetailsButtonProps {
  payment: Payment;
  /** Whose payment it is, among those of several people. */
  who?: string;
  onOpen: () => void;
}

export function DetailsButton({ payment, who, onOpen }: DetailsButtonProps) {
  const { t } = useLingui();
  const day = dayText(payment.createdAt);
  const name = t({ id: "payments.detailsOf", message: `Details of the payment of ${day}` });
  return (
    <Button size="small" aria-label={who === undefined ? name : `${name}: ${who}`} onClick={onOpen}>
      <Trans id="payments.details">Details</Trans>
    </Button>
  );
}
