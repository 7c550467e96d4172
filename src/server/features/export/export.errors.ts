import type { ErrorKind } from "../../http/app-error.ts";

export const exportTooLarge: ErrorKind = {
  status: 409,
  code: "export.too_large",
  text: /*i18n*/ {
    id: "error.export.too_large",
    message: "This account holds too much for one file. Please contact support.",
  },
};
