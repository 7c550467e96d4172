import type { ErrorKind } from "../../../http/app-error.ts";

/** The answer is the same whether a request for exams is unknown, ended, expired or used up, or its secret is wrong. */
export const requestNotFound: ErrorKind = {
  status: 404,
  code: "request.not_found",
  text: /*i18n*/ {
    id: "error.request.not_found",
    message:
      "This request does not work. It may have been used, ended or expired. Ask whoever sent it for another.",
  },
};
export const deliveryFull: ErrorKind = {
  status: 409,
  code: "delivery.full",
  text: /*i18n*/ { id: "error.delivery.full", message: "This delivery can bring no more files." },
};
