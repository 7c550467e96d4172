import type { ErrorKind } from "../../http/app-error.ts";

export const supportKeyUsed: ErrorKind = {
  status: 409,
  code: "support.key_used",
  text: /*i18n*/ {
    id: "error.support.key_used",
    message: "Another message was sent with this Idempotency-Key. This one was not sent.",
  },
};
