import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Payment } from "../../../shared/api/payments.ts";
import { Button } from "../../ui/button.tsx";
import { CircleAlertIcon, ClockIcon } from "../../ui/entry-icons.tsx";
import { RefreshIcon } from "../../ui/icons.tsx";
import { useCreatePayment } from "./use-payments.ts";

/** A payment that can no longer be made, and the way to a new code. */
export function PixOver({ payment, head }: { payment: Payment; head: ReactNode }) {
  const create = useCreatePayment();
  return (
    <div className="pix-body">
      {head}
      <div className="pix-over">
        <p className="notice is-warn" role="alert">
          <ClockIcon small />
          <span>
            <Reason status={payment.status} />
          </span>
        </p>
        {create.error && (
          <p className="notice is-bad" role="alert">
            <CircleAlertIcon small />
            {create.error.message}
          </p>
        )}
        <Button
          kind="lit"
          size="big"
          disabled={create.isPending}
          onClick={() => create.mutate(payment.planId)}
        >
          <RefreshIcon small />
          {create.isPending ? (
            <Trans id="pix.generating">Generating…</Trans>
          ) : (
            <Trans id="pix.regenerate">Generate a new code</Trans>
          )}
        </Button>
      </div>
    </div>
  );
}

function Reason({ status }: Pick<Payment, "status">) {
  switch (status) {
    case "failed":
      return (
        <Trans id="pix.failed">
          This payment failed. If money left your account, write to support before you pay again.
        </Trans>
      );
    case "refunded":
      return <Trans id="pix.refunded">This payment was refunded.</Trans>;
    default:
      return (
        <Trans id="pix.expired">
          This Pix code has expired. If you have already paid, do not pay again: we confirm payments that
          arrive.
        </Trans>
      );
  }
}
