import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { type AdminPayment, type PaymentStatus, paymentStatuses } from "../../../shared/api/payments.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { useExistingPage } from "../../ui/hooks/use-existing-page.ts";
import { usePageRead } from "../../ui/hooks/use-page-read.ts";
import { Pager } from "../../ui/pager.tsx";
import { Select } from "../../ui/select.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { PaymentDetailsDialog } from "../payments/payment-details-dialog.tsx";
import { PaymentStatusBadge, ReturnedPart } from "../payments/payment-status.tsx";
import { DetailsButton } from "../payments/payment-table.tsx";
import { moneyText, statusName } from "../payments/payment-text.ts";
import { PaymentsError } from "../payments/payments-error.tsx";
import { useDialogValue } from "../places/use-dialog-value.ts";
import { dialogIdAtom, viewStateAtom } from "../places/views.ts";
import { planNameText } from "../plan/plan-name.ts";
import { AdminRows, RowOwner } from "./admin-rows.tsx";
import { PAYMENTS_PER_PAGE } from "./admin-subscriptions-api.ts";
import {
  type PaymentQuestion,
  PaymentQuestionDialog,
  usePaymentQuestion,
} from "./payment-question-dialog.tsx";
import { RefundState } from "./refund-state.tsx";
import { usePayments } from "./use-admin-subscriptions.ts";

/** Id of the payment whose details are open. */
const openDetailsAtom = dialogIdAtom("details");

const shownRowsAtom = viewStateAtom("rows", "pending.0");
const MAX_PAGE = 10_000;

/** The shown status and page of the payments. They survive a reload. */
function useShownRows() {
  const [rows, setRows] = useAtom(shownRowsAtom);
  const [name, number] = rows.split(".");
  const page = Number(number);
  return {
    status: paymentStatuses.find((known) => known === name) ?? ("all" as const),
    page: Number.isInteger(page) && page >= 0 && page <= MAX_PAGE ? page : 0,
    show: (status: PaymentStatus | "all", shownPage: number) => setRows(`${status}.${shownPage}`),
  };
}

/** Everybody's payments; those that wait for a confirmation come first. */
export function AdminPayments() {
  const { i18n, t } = useLingui();
  const { status, page, show } = useShownRows();
  const query = usePayments(status, page);
  const { data, error, isReading } = usePageRead(query);
  const payments = data?.rows;
  const ownPayments = isReading ? undefined : payments;
  useExistingPage({
    page,
    perPage: PAYMENTS_PER_PAGE,
    total: isReading ? undefined : data?.total,
    onPage: (existing) => show(status, existing),
  });
  const [opened, setOpenId] = useDialogValue(openDetailsAtom, ownPayments);
  const { question, ask, close } = usePaymentQuestion(ownPayments);
  const options: { value: PaymentStatus | "all"; label: string }[] = [
    { value: "all", label: t({ id: "subscriptions.allPayments", message: "All payments" }) },
    ...paymentStatuses.map((value) => ({ value, label: statusName(i18n, value) })),
  ];
  return (
    <section className="panel admin-panel">
      <div className="admin-filter">
        <Field label={<Trans id="payments.status">Status</Trans>}>
          {(tied) => (
            <Select {...tied} options={options} value={status} onValueChange={(value) => show(value, 0)} />
          )}
        </Field>
      </div>
      {error && <PaymentsError error={error} onRetry={query.refetch} />}
      {(error ? payments && payments.length > 0 : true) && (
        <AdminRows
          rows={payments}
          isReading={isReading}
          none={<Trans id="subscriptions.noPayments">No payment has this status.</Trans>}
        >
          {(payment) => (
            <PaymentRow key={payment.id} payment={payment} onAsk={ask} onOpen={({ id }) => setOpenId(id)} />
          )}
        </AdminRows>
      )}
      {data && data.total > 0 && (
        <Pager
          before={page * PAYMENTS_PER_PAGE}
          shown={data.rows.length}
          total={data.total}
          isReading={isReading}
          onStep={(step) => show(status, page + step)}
        />
      )}
      <PaymentDetailsDialog payment={opened} onClose={() => setOpenId(undefined)} />
      <PaymentQuestionDialog question={question} onClose={close} />
    </section>
  );
}

interface PaymentRowProps {
  payment: AdminPayment;
  onAsk: (question: PaymentQuestion) => void;
  onOpen: (payment: AdminPayment) => void;
}

function PaymentRow({ payment, onAsk, onOpen }: PaymentRowProps) {
  const { i18n, t } = useLingui();
  const { user, planName, amount: amountCents, status, createdAt, txid } = payment;
  const who = user?.name ?? t({ id: "subscriptions.deletedAccount", message: "Deleted account" });
  const amount = moneyText(i18n, amountCents);
  return (
    <li>
      <RowOwner name={who} email={user?.email}>
        <code>{txid}</code>
      </RowOwner>
      <div>
        <b>{amount}</b>
        <span>
          {planNameText(i18n, planName)} · <time dateTime={createdAt}>{dayText(createdAt)}</time>
        </span>
      </div>
      <div>
        <PaymentStatusBadge status={status} />
        <ReturnedPart payment={payment} />
        <RefundState payment={payment} />
      </div>
      <div className="admin-actions">
        {payment.devolucoes.length > 0 && (
          <DetailsButton payment={payment} who={who} onOpen={() => onOpen(payment)} />
        )}
        {payment.canConfirm && (
          <Button
            size="small"
            aria-label={t({ id: "subscriptions.confirmOf", message: `Confirm: ${amount}, ${who}` })}
            onClick={() => onAsk({ kind: "confirm", payment })}
          >
            <Trans id="subscriptions.confirmPayment">Confirm</Trans>
          </Button>
        )}
        {payment.canRefund && (
          <Button
            size="small"
            aria-label={t({ id: "subscriptions.refundOf", message: `Refund: ${amount}, ${who}` })}
            onClick={() => onAsk({ kind: "refund", payment })}
          >
            <Trans id="subscriptions.refund">Refund</Trans>
          </Button>
        )}
      </div>
    </li>
  );
}
