import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Payment } from "../../../shared/api/payments.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { dayText, longMomentText } from "../../ui/text/moment-text.ts";
import { planNameText } from "../plan/plan-name.ts";
import { Countdown } from "./countdown.tsx";
import { PaymentStatusBadge } from "./payment-status.tsx";
import { devolucaoStatusName, moneyText, naturezaName } from "./payment-text.ts";
import { PixCode } from "./pix-code.tsx";
import { PixQr } from "./pix-qr.tsx";
import { useRemainingMs } from "./remaining-time.ts";

interface PaymentDetailsDialogProps {
  /** The dialog is closed while this is undefined. */
  payment: Payment | undefined;
  onClose: () => void;
}

/** Everything about a payment, with its Pix code while it is pending. */
export function PaymentDetailsDialog({ payment, onClose }: PaymentDetailsDialogProps) {
  return (
    <Dialog
      open={payment !== undefined}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={<Trans id="payments.detailsTitle">Payment details</Trans>}
    >
      {payment && <Facts payment={payment} />}
      {payment && <Returns payment={payment} />}
      {payment?.status === "pending" && <OpenPix payment={payment} />}
      <div className="dialog-actions">
        <Button onClick={onClose}>
          <Trans id="action.close">Close</Trans>
        </Button>
      </div>
    </Dialog>
  );
}

function Facts({ payment }: { payment: Payment }) {
  const { i18n } = useLingui();
  const { periodDays, amount: amountCents, status, createdAt, paymentDate } = payment;
  const planName = planNameText(i18n, payment.planName);
  return (
    <dl className="payment-facts">
      <Fact name={<Trans id="payments.plan">Plan</Trans>}>
        <Trans id="payments.planDays">
          {planName}, {periodDays} days
        </Trans>
      </Fact>
      <Fact name={<Trans id="payments.amount">Amount</Trans>}>{moneyText(i18n, amountCents)}</Fact>
      <Fact name={<Trans id="payments.status">Status</Trans>}>
        <PaymentStatusBadge status={status} />
      </Fact>
      <Fact name={<Trans id="payments.created">Created on</Trans>}>
        {longMomentText(createdAt, i18n.locale)}
      </Fact>
      {paymentDate && (
        <Fact name={<Trans id="payments.paidOn">Paid on</Trans>}>
          {longMomentText(paymentDate, i18n.locale)}
        </Fact>
      )}
      <Period payment={payment} />
      {payment.amountReturned > 0 && (
        <Fact name={<Trans id="payments.amountReturned">Amount returned</Trans>}>
          {moneyText(i18n, payment.amountReturned)}
        </Fact>
      )}
      {payment.refundedAt && (
        <Fact name={<Trans id="payments.refundedOn">Refunded on</Trans>}>
          {longMomentText(payment.refundedAt, i18n.locale)}
        </Fact>
      )}
    </dl>
  );
}

/** The devoluções of a payment, complete or in progress, as the provider reports them. */
function Returns({ payment: { devolucoes } }: { payment: Payment }) {
  const { i18n } = useLingui();
  if (devolucoes.length === 0) return null;
  return (
    <section>
      <h3 className="payment-returns">
        <Trans id="payments.returns">Returned by Pix</Trans>
      </h3>
      <dl className="payment-facts">
        {devolucoes.map((devolucao) => {
          const at = devolucao.settledAt ?? devolucao.requestedAt;
          return (
            <Fact
              key={devolucao.id}
              name={
                <>
                  {naturezaName(i18n, devolucao.natureza)}
                  {at && <span className="payment-return-at">{longMomentText(at, i18n.locale)}</span>}
                </>
              }
            >
              {moneyText(i18n, devolucao.amount)} · {devolucaoStatusName(i18n, devolucao.status)}
            </Fact>
          );
        })}
      </dl>
    </section>
  );
}

function Period({ payment: { periodStart, periodEnd } }: { payment: Payment }) {
  if (!periodStart || !periodEnd) return null;
  const start = dayText(periodStart);
  const end = dayText(periodEnd);
  return (
    <Fact name={<Trans id="payments.period">Period</Trans>}>
      <Trans id="payments.fromTo">
        {start} to {end}
      </Trans>
    </Fact>
  );
}

function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function OpenPix({ payment }: { payment: Payment }) {
  const leftMs = useRemainingMs(payment);
  if (leftMs === 0) {
    return (
      <p className="notice is-warn mt-4">
        <Trans id="payments.codeExpired">The Pix code of this payment has expired.</Trans>
      </p>
    );
  }
  return (
    <div className="payment-pix">
      <Countdown leftMs={leftMs} />
      {payment.pixCopyPaste !== null && <PixCode code={payment.pixCopyPaste} />}
      <PixQr payment={payment} />
    </div>
  );
}
