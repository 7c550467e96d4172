import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { type AdminPayment, type PaymentStatus, paymentStatuses } from "../../../shared/api/payments.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { dayText } from "../../ui/moment-text.ts";
import { Pager } from "../../ui/pager.tsx";
import { Select } from "../../ui/select.tsx";
import { PaymentDetailsDialog } from "../payments/payment-details-dialog.tsx";
import { PaymentStatusBadge, ReturnedPart } from "../payments/payment-status.tsx";
import { DetailsButton } from "../payments/payment-table.tsx";
import { moneyText, statusName } from "../payments/payment-text.ts";
import { AdminRows, RowOwner } from "./admin-rows.tsx";
import { PAYMENTS_PER_PAGE } from "./admin-subscriptions-api.ts";
import { type PaymentQuestion, PaymentQuestionDialog } from "./payment-question-dialog.tsx";
import { RefundState } from "./refund-state.tsx";
import { usePayments } from "./use-admin-subscriptions.ts";

/** Everybody's payments, those that wait for a confirmation first. */
export function AdminPayments() {
  const { i18n, t } = useLingui();
  const [status, setStatus] = useState<PaymentStatus | "all">("pending");
  const [page, setPage] = useState(0);
  const [question, setQuestion] = useState<PaymentQuestion>();
  const [openId, setOpenId] = useState<string>();
  const { data, error, refetch } = usePayments(status, page);
  const payments = data?.payments;
  const options: { value: PaymentStatus | "all"; label: string }[] = [
    { value: "all", label: t({ id: "subscriptions.allPayments", message: "All payments" }) },
    ...paymentStatuses.map((value) => ({ value, label: statusName(i18n, value) })),
  ];
  return (
    <section className="panel admin-panel">
      <div className="admin-filter">
        <Field label={<Trans id="payments.status">Status</Trans>}>
          {(tied) => (
            <Select
              {...tied}
              options={options}
              value={status}
              onValueChange={(value) => {
                setStatus(value);
                setPage(0);
              }}
            />
          )}
        </Field>
      </div>
      {error && (
        <LoadError
          title={<Trans id="payments.failed">Error loading payments</Trans>}
          error={error}
          onRetry={refetch}
        />
      )}
      {!error && (
        <AdminRows
          rows={payments}
          none={<Trans id="subscriptions.noPayments">No payment has this status.</Trans>}
        >
          {(payment) => (
            <PaymentRow
              key={payment.id}
              payment={payment}
              onAsk={setQuestion}
              onOpen={({ id }) => setOpenId(id)}
            />
          )}
        </AdminRows>
      )}
      {data && data.total > 0 && (
        <Pager
          before={page * PAYMENTS_PER_PAGE}
          shown={data.payments.length}
          total={data.total}
          onStep={(step) => setPage(page + step)}
        />
      )}
      <PaymentDetailsDialog
        payment={payments?.find(({ id }) => id === openId)}
        onClose={() => setOpenId(undefined)}
      />
      <PaymentQuestionDialog question={question} onClose={() => setQuestion(undefined)} />
    </section>
  );
}

interface PaymentRowProps {
  payment: AdminPayment;
  onAsk: (question: PaymentQuestion) => void;
  onOpen: (payment: AdminPayment) => void;
}

function PaymentRow({ payment, onAsk, onOpen }: PaymentRowProps) {
  const { i18n } = useLingui();
  const { user, planName, amount, status, createdAt, txid } = payment;
  const who = user?.name ?? <Trans id="subscriptions.deletedAccount">Deleted account</Trans>;
  return (
    <li>
      <RowOwner name={who} email={user?.email}>
        <code>{txid}</code>
      </RowOwner>
      <div>
        <b>{moneyText(i18n, amount)}</b>
        <span>
          {planName} · <time dateTime={createdAt}>{dayText(createdAt)}</time>
        </span>
      </div>
      <div>
        <PaymentStatusBadge status={status} />
        <ReturnedPart payment={payment} />
        <RefundState payment={payment} />
      </div>
      <div className="admin-actions">
        {payment.devolucoes.length > 0 && <DetailsButton payment={payment} onOpen={() => onOpen(payment)} />}
        {payment.canConfirm && (
          <Button size="small" onClick={() => onAsk({ kind: "confirm", payment })}>
            <Trans id="subscriptions.confirmPayment">Confirm</Trans>
          </Button>
        )}
        {payment.canRefund && (
          <Button size="small" onClick={() => onAsk({ kind: "refund", payment })}>
            <Trans id="subscriptions.refund">Refund</Trans>
          </Button>
        )}
      </div>
    </li>
  );
}
