import { Trans, useLingui } from "@lingui/react/macro";
import type { AdminPayment, SettledPayment } from "../../../shared/api/payments.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { moneyText } from "../payments/payment-text.ts";
import { useDialogValue } from "../places/use-dialog-value.ts";
import { useOwnClose } from "../places/use-own-close.ts";
import { dialogIdAtom } from "../places/views.ts";
import { planNameText } from "../plan/plan-name.ts";
import { adminSubscriptionsApi } from "./admin-subscriptions-api.ts";
import { useAdminAction } from "./use-admin-action.ts";

export interface PaymentQuestion {
  kind: "confirm" | "refund";
  payment: AdminPayment;
}

const confirmedIdAtom = dialogIdAtom("confirm");
const refundedIdAtom = dialogIdAtom("refund");

/** The open question. It closes if its payment is not among `payments` or can no longer be answered. */
export function usePaymentQuestion(payments: readonly AdminPayment[] | undefined) {
  const confirmable = payments?.filter(({ canConfirm }) => canConfirm);
  const refundable = payments?.filter(({ canRefund }) => canRefund);
  const [confirmed, setConfirmedId] = useDialogValue(confirmedIdAtom, confirmable);
  const [refunded, setRefundedId] = useDialogValue(refundedIdAtom, refundable);
  const question: PaymentQuestion | undefined =
    (confirmed && { kind: "confirm", payment: confirmed }) ??
    (refunded && { kind: "refund", payment: refunded });
  return {
    question,
    ask: ({ kind, payment }: PaymentQuestion) => {
      if (kind === "confirm") setConfirmedId(payment.id);
      else setRefundedId(payment.id);
    },
    close: () => {
      setConfirmedId(undefined);
      setRefundedId(undefined);
    },
  };
}

interface PaymentQuestionDialogProps {
  question: PaymentQuestion | undefined;
  onClose: () => void;
}

/** Asks for confirmation before a payment is marked as received or refunded. */
export function PaymentQuestionDialog({ question, onClose }: PaymentQuestionDialogProps) {
  if (!question) return null;
  const { kind, payment } = question;
  return <Question key={`${kind} ${payment.id}`} question={question} onClose={onClose} />;
}

function Question({ question, onClose }: { question: PaymentQuestion; onClose: () => void }) {
  const { i18n } = useLingui();
  const answer = useAnswer(useOwnClose(onClose));
  const text = useQuestionText(question);
  const { kind, payment } = question;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open && !answer.isPending) onClose();
      }}
      title={text.title}
      text={text.text}
      confirmKind={kind === "confirm" ? "lit" : "destroy"}
      confirmLabel={answer.isPending ? <Trans id="action.saving">Saving…</Trans> : text.confirm}
      busy={answer.isPending}
      onConfirm={() => answer.mutate(question)}
    >
      <div className="quote">
        <div className="user-quote">
          <b>
            {moneyText(i18n, payment.amount)} · {planNameText(i18n, payment.planName)}
          </b>
          <span>{payment.user?.email}</span>
          <code>{payment.txid}</code>
        </div>
      </div>
    </ConfirmDialog>
  );
}

function useQuestionText(question: PaymentQuestion) {
  const { i18n, t } = useLingui();
  if (question.kind === "refund") {
    const { provider, amount: amountCents, amountReturned: returnedCents } = question.payment;
    const isLocal = provider === "local";
    const rest = moneyText(i18n, amountCents - returnedCents);
    const whole = t({
      id: "subscriptions.refund.text",
      message:
        "The whole amount goes back by Pix, the period it paid for ends, and its owner is told by e-mail.",
    });
    const part = t({
      id: "subscriptions.refund.rest",
      message: `The rest, ${rest}, goes back by Pix, the period it paid for ends, and its owner is told by e-mail.`,
    });
    return {
      title: t({ id: "subscriptions.refund.title", message: "Refund this payment?" }),
      text: isLocal
        ? t({
            id: "subscriptions.refund.local",
            message:
              "Send the money back at your bank. Here the period it paid for ends now, and its owner is told by e-mail.",
          })
        : returnedCents > 0
          ? part
          : whole,
      confirm: t({ id: "subscriptions.refund.confirm", message: "Yes, refund" }),
    };
  }
  return {
    title: t({ id: "subscriptions.confirm.title", message: "Confirm this payment?" }),
    text: t({
      id: "subscriptions.confirm.text",
      message:
        "Only if you see the amount on your bank statement. The plan starts at once, and whoever paid is told.",
    }),
    confirm: t({ id: "subscriptions.confirm.confirm", message: "Yes, I received it" }),
  };
}

function useAnswer(onSettled: () => void) {
  const { t } = useLingui();
  const toldBefore = useToldBefore();
  return useAdminAction({
    run: ({ kind, payment }: PaymentQuestion) => adminSubscriptionsApi[kind](payment.id),
    done: (settled, { kind }) => {
      if (settled.wasSettledBefore) return toldBefore(settled, kind);
      if (kind === "confirm")
        return { title: t({ id: "subscriptions.confirmed", message: "Payment confirmed" }) };
      return {
        title:
          settled.status === "refunded"
            ? t({ id: "subscriptions.refunded", message: "Payment refunded" })
            : t({ id: "subscriptions.refundAsked", message: "The refund is under way" }),
      };
    },
    onSettled,
  });
}

/** What is said of a payment that another admin had settled meanwhile: how it stands, whatever was answered here. */
function useToldBefore() {
  const { t } = useLingui();
  return ({ status, provider }: SettledPayment, kind: PaymentQuestion["kind"]) => {
    const tone = "info" as const;
    if (status === "refunded") {
      const title = t({ id: "subscriptions.refundedBefore", message: "This payment was refunded already" });
      // At the bank each admin sends the money by hand.
      if (kind === "confirm" || provider !== "local") return { tone, title };
      const text = t({
        id: "subscriptions.refundedBefore.local",
        message: "Check at your bank that the money goes back only once.",
      });
      return { tone, title, text };
    }
    if (kind === "confirm")
      return {
        tone,
        title: t({ id: "subscriptions.confirmedBefore", message: "This payment was confirmed already" }),
      };
    return {
      tone,
      title: t({ id: "subscriptions.refundAskedBefore", message: "The refund was under way already" }),
    };
  };
}
