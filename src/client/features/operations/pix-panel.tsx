import { Trans, useLingui } from "@lingui/react/macro";
import type { AdminPayment } from "../../../shared/api/payments.ts";
import type { Page } from "../../calls/api.ts";
import { Button } from "../../ui/button.tsx";
import { CircleCheckIcon } from "../../ui/entry-icons.tsx";
import { ReceiptIcon } from "../../ui/icons.tsx";
import { whenText } from "../../ui/text/when-text.ts";
import { HomeIcon, HomePanel, HomeRow } from "../home/home-panel.tsx";
import { moneyText } from "../payments/payment-text.ts";
import { planNameText } from "../plan/plan-name.ts";
import {
  type PaymentQuestion,
  PaymentQuestionDialog,
  usePaymentQuestion,
} from "../subscriptions-admin/payment-question-dialog.tsx";
import type { usePayments } from "../subscriptions-admin/use-admin-subscriptions.ts";
import { ViewLink } from "./view-link.tsx";

const SHOWN = 3;

/** Pix that only an admin can confirm. */
export function PixPanel({ query }: { query: ReturnType<typeof usePayments> }) {
  const payments = query.data?.rows.filter(({ canConfirm }) => canConfirm);
  const count = query.data && confirmableCount(query.data);
  const { question, ask, close } = usePaymentQuestion(payments);
  return (
    <>
      <HomePanel
        title={<Trans id="home.pix">Pix to confirm</Trans>}
        count={count}
        link={
          <ViewLink view="subscription">
            <Trans id="subscriptions.title">Subscriptions</Trans>
          </ViewLink>
        }
        query={{ ...query, data: payments }}
      >
        {(confirmable) =>
          confirmable.length === 0 ? (
            <HomeRow
              lead={<HomeIcon icon={CircleCheckIcon} tone="ok" />}
              title={<Trans id="home.pix.none">No Pix waits for you</Trans>}
            />
          ) : (
            <ul>
              {confirmable.slice(0, SHOWN).map((payment, place) => (
                <li key={payment.id}>
                  <PixRow payment={payment} isFirst={place === 0} onAsk={ask} />
                </li>
              ))}
            </ul>
          )
        }
      </HomePanel>
      <PaymentQuestionDialog question={question} onClose={close} />
    </>
  );
}

/** How many wait for an admin. What is beyond the page that was read counts like that page. */
export function confirmableCount({ rows: payments, total }: Page<AdminPayment>): number {
  const confirmable = payments.filter(({ canConfirm }) => canConfirm).length;
  return confirmable === payments.length ? total : confirmable;
}

interface PixRowProps {
  payment: AdminPayment;
  isFirst: boolean;
  onAsk: (question: PaymentQuestion) => void;
}

function PixRow({ payment, isFirst, onAsk }: PixRowProps) {
  const { i18n, t } = useLingui();
  const amount = moneyText(i18n, payment.amount);
  const name = payment.user?.name ?? t({ id: "subscriptions.deletedAccount", message: "Deleted account" });
  const planName = planNameText(i18n, payment.planName);
  return (
    <HomeRow
      lead={<HomeIcon icon={ReceiptIcon} tone="warn" />}
      title={`${amount} · ${name}`}
      actions={
        <Button
          size="small"
          kind={isFirst ? "lit" : undefined}
          aria-label={t({ id: "home.pix.confirmOf", message: `Confirm ${amount} of ${name}` })}
          onClick={() => onAsk({ kind: "confirm", payment })}
        >
          <Trans id="subscriptions.confirmPayment">Confirm</Trans>
        </Button>
      }
    >
      <Trans id="planStrip.plan">{planName} plan</Trans> · {whenText(i18n, payment.createdAt)}
    </HomeRow>
  );
}
