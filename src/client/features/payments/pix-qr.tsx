import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Payment } from "../../../shared/api/payments.ts";
import { Button } from "../../ui/button.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { useCreatePayment } from "./use-payments.ts";

interface PixQrProps {
  payment: Pick<Payment, "pixQrcode" | "planId">;
}

/** The lit panel: the QR code, or a message that it is missing with a button to request it again. */
export function PixQr({ payment }: PixQrProps) {
  const { t } = useLingui();
  const [brokenCode, setBrokenCode] = useState<string>();
  const { pixQrcode } = payment;
  if (pixQrcode === null || pixQrcode === brokenCode) {
    return <QrFailure planId={payment.planId} onRetry={() => setBrokenCode(undefined)} />;
  }
  return (
    <figure className="pix-qr">
      <img
        src={pixQrcode}
        alt={t({ id: "pix.qr", message: "Pix QR code" })}
        onError={() => setBrokenCode(pixQrcode)}
      />
      <figcaption>
        <Trans id="pix.aim">Point the camera of your bank's app</Trans>
      </figcaption>
    </figure>
  );
}

function QrFailure({ planId, onRetry }: { planId: string; onRetry: () => void }) {
  const create = useCreatePayment();
  return (
    <div className="pix-qr is-failed">
      <CircleAlertIcon />
      <p role="alert">
        <Trans id="pix.qrFailed">The QR code could not be generated. Try again.</Trans>
        {create.error && ` ${create.error.message}`}
      </p>
      <Button
        disabled={create.isPending}
        onClick={() => {
          onRetry();
          create.mutate(planId);
        }}
      >
        <Trans id="action.retry">Try again</Trans>
      </Button>
    </div>
  );
}
