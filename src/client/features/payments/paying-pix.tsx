import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Payment } from "../../../shared/api/payments.ts";
import { useHis } from "../session/his-context.ts";
import { Countdown } from "./countdown.tsx";
import { PixCode } from "./pix-code.tsx";
import { PixOver } from "./pix-over.tsx";
import { PixQr } from "./pix-qr.tsx";
import { useRemainingMs } from "./remaining-time.ts";

interface PayingPixProps {
  payment: Payment;
  head: ReactNode;
  /** Why the last read of the payment failed. */
  error: Error | null;
}

/** The code to pay with, as long as it is valid. */
export function PayingPix({ payment, head, error }: PayingPixProps) {
  const leftMs = useRemainingMs(payment);
  if (leftMs === 0) return <PixOver payment={{ ...payment, status: "expired" }} head={head} />;
  return (
    <div className="pix-pay">
      <div className="pix-body">
        {head}
        <Countdown leftMs={leftMs} />
        {payment.pixCopyPaste !== null && <PixCode code={payment.pixCopyPaste} />}
        {error && (
          <p className="notice is-warn" role="status">
            <span>
              {error.message} <Trans id="pix.asksOn">We keep asking whether the payment came in.</Trans>
            </span>
          </p>
        )}
        {payment.pixCopyPaste !== null && <Steps />}
      </div>
      <PixQr payment={payment} />
    </div>
  );
}

function Steps() {
  const { pix } = useHis();
  return (
    <ol className="pix-steps">
      <li>
        <Trans id="pix.step.open">Open your bank's app and choose Pix.</Trans>
      </li>
      <li>
        <Trans id="pix.step.read">Read the QR code or paste the code.</Trans>
      </li>
      <li>
        <Trans id="pix.step.confirm">Confirm. This screen tells you as soon as the payment comes in.</Trans>
        {pix === "manual" && (
          <>
            {" "}
            <Trans id="pix.step.manual">We confirm by hand; it can take a few hours.</Trans>
          </>
        )}
      </li>
    </ol>
  );
}
