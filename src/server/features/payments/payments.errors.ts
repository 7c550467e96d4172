import type { ErrorKind } from "../../http/app-error.ts";

export const paymentNotFound: ErrorKind = {
  status: 404,
  code: "payment.not_found",
  text: /*i18n*/ { id: "error.payment.not_found", message: "Payment not found" },
};
export const pixNotConfigured: ErrorKind = {
  status: 503,
  code: "pix.not_configured",
  text: /*i18n*/ {
    id: "error.pix.not_configured",
    message: "Pix is not set up here yet. Please contact support.",
  },
};
export const pixUnavailable: ErrorKind = {
  status: 503,
  code: "pix.unavailable",
  text: /*i18n*/ {
    id: "error.pix.unavailable",
    message: "The QR code could not be generated. Please try again.",
  },
};
export const planEndless: ErrorKind = {
  status: 409,
  code: "plan.already_endless",
  text: /*i18n*/ {
    id: "error.plan.already_endless",
    message: "You have this plan with no end date: there is nothing to pay.",
  },
};
export const tooManyPayments: ErrorKind = {
  status: 429,
  code: "payment.too_many",
  text: /*i18n*/ {
    id: "error.payment.too_many",
    message: "Too many Pix codes were generated. Wait a while and try again.",
  },
};
export const notConfirmable: ErrorKind = {
  status: 409,
  code: "payment.not_confirmable",
  text: /*i18n*/ {
    id: "error.payment.not_confirmable",
    message: "Only a payment on your own Pix key that is not paid yet can be confirmed by hand.",
  },
};
export const notRefundable: ErrorKind = {
  status: 409,
  code: "payment.not_refundable",
  text: /*i18n*/ { id: "error.payment.not_refundable", message: "Only a paid payment can be refunded." },
};
export const refundRejected: ErrorKind = {
  status: 409,
  code: "payment.refund_rejected",
  text: /*i18n*/ {
    id: "error.payment.refund_rejected",
    message: "The payment provider did not accept the refund. See the payment in its own panel.",
  },
};
