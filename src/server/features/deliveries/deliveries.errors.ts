import type { ErrorKind } from "../../http/app-error.ts";

export const tooManyRequestsOpen: ErrorKind = {
  status: 409,
  code: "request.too_many",
  text: /*i18n*/ {
    id: "error.request.too_many",
    message: "This account has too many open requests. End some of them first.",
  },
};
