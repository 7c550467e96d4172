import type { Locale } from "../../../shared/locale.ts";
import type { MailContent } from "../../mail/compose-mail.ts";
import { dateInBrazil, moneyText } from "../subscriptions/mail-values.ts";
import type { PaymentRow } from "./payments.table.ts";

export function paidMail(paid: {
  payment: PaymentRow;
  until: Date;
  locale: Locale;
  publicUrl: string;
}): MailContent {
  const { payment, until, locale, publicUrl } = paid;
  return {
    subject: /*i18n*/ { id: "mail.paid.subject", message: "Payment received: {plan}" },
    paragraphs: [
      /*i18n*/ {
        id: "mail.paid.text",
        message: "We received your Pix of {amount} for the {plan} plan. It is active until {until}.",
      },
    ],
    highlight: {
      url: `${publicUrl}/his/subscription`,
      label: /*i18n*/ { id: "mail.paid.button", message: "See my subscription" },
    },
    values: {
      plan: payment.planName,
      amount: moneyText(payment.amountCents, locale),
      until: dateInBrazil(until, locale),
    },
  };
}

/** `payment` as it was before it was refunded. */
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
    "We gave back the Pix you sent for the {plan} plan: its amount was other than the plan's price, {amount}. Nothing has changed in your subscription.",
};
