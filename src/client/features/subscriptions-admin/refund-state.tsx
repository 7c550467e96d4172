import { Trans } from "@lingui/react/macro";
import type { AdminPayment } from "../../../shared/api/payments.ts";

/** What an admin must know beyond the status: a refund under way or refused, or why a payment failed. */
export function RefundState({ payment: { status, refundStatus, failure } }: { payment: AdminPayment }) {
  if (refundStatus === "EM_PROCESSAMENTO" && status !== "refunded")
    return (
      <span>
        <Trans id="subscriptions.refund.running">Refund under way</Trans>
      </span>
    );
  if (refundStatus === "NAO_REALIZADO" && status !== "refunded")
    return (
      <span>
        <Trans id="subscriptions.refund.failed">The provider refused the refund</Trans>
      </span>
    );
  if (failure === "wrong_amount")
    return (
      <span>
        <Trans id="subscriptions.failure.amount">Another amount was paid</Trans>
      </span>
    );
  if (failure === "repeated_pix")
    return (
      <span>
        <Trans id="subscriptions.failure.repeated">The provider lists another payment's Pix</Trans>
      </span>
    );
  if (failure === "removed")
    return (
      <span>
        <Trans id="subscriptions.failure.removed">The charge was withdrawn</Trans>
      </span>
    );
  if (failure === "account_gone")
    return (
      <span>
        <Trans id="subscriptions.failure.gone">Paid after the account was deleted</Trans>
      </span>
    );
  if (failure === "superseded" && status !== "refunded")
    return (
      <span>
        <Trans id="subscriptions.failure.superseded">Another plan was paid after it</Trans>
      </span>
    );
  if (failure === "returned" && status !== "refunded")
    return (
      <span>
        <Trans id="subscriptions.failure.returned">Returned before it was confirmed</Trans>
      </span>
    );
  return null;
}
