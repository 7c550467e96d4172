import type { Locale } from "../../../shared/locale.ts";
import type { MailContent } from "../../mail/compose-mail.ts";
import { dateInBrazil, moneyText } from "../../mail/mail-values.ts";
import type { PaymentRow } from "./payments.table.ts";

export function paidMail(paid: {
  payment: PaymentRow;
  /** Null for a plan without an end. */
  until: Date | null;
  locale: Locale;
  publicUrl: string;
}): MailContent {
  const { payment, until, locale, publicUrl } = paid;
  return {
    subject: /*i18n*/ { id: "mail.paid.subject", message: "Payment received: {plan}" },
    paragraphs: [
      until
        ? /*i18n*/ {
            id: "mail.paid.text",
            message: "We received your Pix of {amount} for the {plan} plan. It is active until {until}.",
          }
        : /*i18n*/ {
            id: "mail.paid.endlessText",
            message: "We received your Pix of {amount} for the {plan} plan. It is active and has no end.",
          },
    ],
    highlight: {
      url: `${publicUrl}/his/subscription`,
      label: /*i18n*/ { id: "mail.paid.button", message: "See my subscription" },
    },
    values: {
      plan: payment.planName,
      amount: moneyText(payment.amountCents, locale),
      ...(until && { until: dateInBrazil(until, locale) }),
    },
  };
}

/** The payment became known after a later one of another plan, which goes on. */
export function supersededMail(paid: {
  payment: PaymentRow;
  locale: Locale;
  publicUrl: string;
}): MailContent {
  const { payment, locale, publicUrl } = paid;
  return {
    subject: /*i18n*/ { id: "mail.paid.subject", message: "Payment received: {plan}" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.superseded.text",
        message:
          "We received your Pix of {amount} for the {plan} plan. You paid for another plan after it, so that one goes on and the {plan} plan did not begin. If you wanted something else, write to us through the support form.",
      },
    ],
    highlight: {
      url: `${publicUrl}/his/subscription`,
      label: /*i18n*/ { id: "mail.paid.button", message: "See my subscription" },
    },
    values: { plan: payment.planName, amount: moneyText(payment.amountCents, locale) },
  };
}

/** `payment` is the row before the refund. */
export function refundedMail(refunded: { payment: PaymentRow; locale: Locale }): MailContent {
  const { payment, locale } = refunded;
  return {
    subject: /*i18n*/ { id: "mail.refunded.subject", message: "Payment refunded: {plan}" },
    paragraphs: [payment.status === "failed" ? wrongAmount : periodEnded],
    values: { plan: payment.planName, amount: moneyText(payment.amountCents, locale) },
  };
}

const periodEnded = /*i18n*/ {
  id: "mail.refunded.text",
  message: "Your payment of {amount} for the {plan} plan was refunded. The period it paid for has ended.",
};
const wrongAmount = /*i18n*/ {
  id: "mail.refunded.wrongAmount",
  message:
    "We gave back the Pix you sent for the {plan} plan: its amount differed from the plan's price, {amount}. Nothing has changed in your subscription.",
};

/** The PSP or the payer's bank returned the whole Pix; `payment` is the row before that. */
export function returnedMail(returned: { payment: PaymentRow; locale: Locale }): MailContent {
  const { payment, locale } = returned;
  const text =
    payment.status === "failed"
      ? /*i18n*/ {
          id: "mail.returned.nothing",
          message:
            "The Pix you sent for the {plan} plan went back to your account, by your bank or our payment provider. Nothing has changed in your subscription.",
        }
      : /*i18n*/ {
          id: "mail.returned.text",
          message:
            "Your Pix of {amount} for the {plan} plan went back to your account, by your bank or our payment provider. The period it paid for has ended.",
        };
  return {
    subject: /*i18n*/ { id: "mail.returned.subject", message: "Pix returned: {plan}" },
    paragraphs: [
      text,
      /*i18n*/ {
        id: "mail.returned.unasked",
        message: "If you did not ask for it, write to us through the support form.",
      },
    ],
    values: { plan: payment.planName, amount: moneyText(payment.amountCents, locale) },
  };
}

/** A part of a Pix was returned; the plan continues. */
export function partlyReturnedMail(returned: {
  payment: PaymentRow;
  returnedCents: number;
  locale: Locale;
}): MailContent {
  const { payment, returnedCents, locale } = returned;
  return {
    subject: /*i18n*/ { id: "mail.partlyReturned.subject", message: "Part of your Pix was returned: {plan}" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.partlyReturned.text",
        message:
          "{returned} of the {amount} you paid for the {plan} plan went back to your account, by your bank or our payment provider. Your plan goes on; we look at what to do about it.",
      },
    ],
    values: {
      plan: payment.planName,
      amount: moneyText(payment.amountCents, locale),
      returned: moneyText(returnedCents, locale),
    },
  };
}

/** Tells the operator about a return, without the payer's name or address; the payment's page shows them. */
export function returnToldMail(told: {
  payment: PaymentRow;
  returnedCents: number;
  naturezas: string[];
  isWhole: boolean;
  locale: Locale;
  publicUrl: string;
}): MailContent {
  const { payment, returnedCents, naturezas, isWhole, locale, publicUrl } = told;
  const ended = /*i18n*/ {
    id: "mail.returnTold.whole",
    message: "All of it is back with the payer. What it paid for has ended, and its user was told.",
  };
  const left = /*i18n*/ {
    id: "mail.returnTold.part",
    message:
      "The plan goes on. Look at the payment: you can refund the rest, which ends what it paid for, or leave it.",
  };
  return {
    subject: /*i18n*/ {
      id: "mail.returnTold.subject",
      message: "A Pix was returned: {returned} of {amount}",
    },
    paragraphs: [
      /*i18n*/ {
        id: "mail.returnTold.text",
        message:
          "Your payment provider says that {returned} of a payment of {amount} for the {plan} plan went back ({naturezas}). Charge: {txid}.",
      },
      isWhole ? ended : left,
    ],
    highlight: {
      url: `${publicUrl}/his/subscription`,
      label: /*i18n*/ { id: "mail.returnTold.button", message: "See the payments" },
    },
    values: {
      plan: payment.planName,
      amount: moneyText(payment.amountCents, locale),
      returned: moneyText(returnedCents, locale),
      naturezas: naturezas.join(", "),
      txid: payment.txid,
    },
  };
}

/** Tells the operator that one Pix is listed at two charges, without the payers' names or addresses; the payments' page shows them. */
export function repeatedPixMail(told: {
  payment: PaymentRow;
  other: Pick<PaymentRow, "txid">;
  locale: Locale;
  publicUrl: string;
}): MailContent {
  const { payment, other, locale, publicUrl } = told;
  return {
    subject: /*i18n*/ { id: "mail.repeatedPix.subject", message: "One Pix is listed at two charges" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.repeatedPix.text",
        message:
          "Your payment provider lists one Pix at two charges, {otherTxid} and {txid}. It counts for the first, {otherTxid}. The payment of {amount} for the {plan} plan stays open.",
      },
      /*i18n*/ {
        id: "mail.repeatedPix.next",
        message:
          "Ask your provider which charge was paid. If it lists another Pix at {txid} within 30 days of the charge, the payment counts by itself.",
      },
    ],
    highlight: {
      url: `${publicUrl}/his/subscription`,
      label: /*i18n*/ { id: "mail.returnTold.button", message: "See the payments" },
    },
    values: {
      plan: payment.planName,
      amount: moneyText(payment.amountCents, locale),
      txid: payment.txid,
      otherTxid: other.txid,
    },
  };
}
