import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { type AdminPayment, type PaymentStatus, paymentStatuses } from "../../../shared/api/payments.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorCard } from "../../ui/error-card.tsx";
import { Field } from "../../ui/field.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { PaymentStatusBadge } from "../payments/payment-status.tsx";
import { moneyText, statusName } from "../payments/payment-text.ts";
import { dayText } from "../users/user-text.ts";
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
        <ErrorCard
          title={<Trans id="payments.failed">Error loading payments</Trans>}
          action={{ label: <Trans id="action.retry">Try again</Trans>, run: () => void refetch() }}
        >
          {error.message}
        </ErrorCard>
      )}
      {!error && <PaymentRows payments={payments} onAsk={setQuestion} />}
      {data && data.total > 0 && (
        <Pager
          className="user-pager"
          before={page * PAYMENTS_PER_PAGE}
          shown={data.payments.length}
          total={data.total}
          onStep={(step) => setPage(page + step)}
        />
      )}
      <PaymentQuestionDialog question={question} onClose={() => setQuestion(undefined)} />
    </section>
  );
}

interface PaymentRowsProps {
  payments: AdminPayment[] | undefined;
  onAsk: (question: PaymentQuestion) => void;
}

function PaymentRows({ payments, onAsk }: PaymentRowsProps) {
  if (payments?.length === 0) {
    return (
      <p className="users-none">
        <Trans id="subscriptions.noPayments">No payment has this status.</Trans>
      </p>
    );
  }
  return (
    <ul className="admin-rows" aria-busy={payments === undefined}>
      {payments
        ? payments.map((payment) => <PaymentRow key={payment.id} payment={payment} onAsk={onAsk} />)
        : [1, 2, 3].map((row) => (
            <li key={row}>
              <Skeleton className="w-48" />
              <Skeleton className="w-24" />
            </li>
          ))}
    </ul>
  );
}

function PaymentRow({ payment, onAsk }: { payment: AdminPayment; onAsk: PaymentRowsProps["onAsk"] }) {
  const { i18n } = useLingui();
  const { user, planName, amount, status, createdAt, txid } = payment;
  const who = user?.name ?? <Trans id="subscriptions.deletedAccount">Deleted account</Trans>;
  return (
    <li>
      <div className="admin-who">
        <b>{who}</b>
        <span>{user?.email}</span>
        <code>{txid}</code>
      </div>
      <div>
        <b>{moneyText(i18n, amount)}</b>
        <span>
          {planName} · <time dateTime={createdAt}>{dayText(createdAt)}</time>
        </span>
      </div>
      <div>
        <PaymentStatusBadge status={status} />
        <RefundState payment={payment} />
      </div>
      <div className="admin-actions">
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
