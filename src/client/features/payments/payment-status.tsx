import { useLingui } from "@lingui/react/macro";
import type { PaymentStatus } from "../../../shared/api/payments.ts";
import { statusName } from "./payment-text.ts";

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
