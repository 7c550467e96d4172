import { Trans, useLingui } from "@lingui/react/macro";
import type { Payment, PaymentStatus } from "../../../shared/api/payments.ts";
import { moneyText, statusName } from "./payment-text.ts";

const tones: Record<PaymentStatus, string> = {
  pending: "is-moving",
  paid: "is-ok",
  expired: "",
  failed: "is-bad",
  refunded: "is-warn",
};

export function PaymentStatusBadge({ status }: { status: PaymentStatus }) {
  const { i18n } = useLingui();
  return <span className={`dot ${tones[status]}`}>{statusName(i18n, status)}</span>;
}

/** The returned part of a payment that is not refunded in full. */
export function ReturnedPart({ payment: { status, amountReturned } }: { payment: Payment }) {
  const { i18n } = useLingui();
  if (status === "refunded" || amountReturned === 0) return null;
  const amount = moneyText(i18n, amountReturned);
  return (
    <span className="payment-returned">
      <Trans id="payments.partReturned">{amount} returned</Trans>
    </span>
  );
}
