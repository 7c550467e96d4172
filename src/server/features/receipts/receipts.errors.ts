import type { ErrorKind } from "../../http/app-error.ts";

export const receiptNotFound: ErrorKind = {
  status: 404,
  code: "receipt.not_found",
  text: /*i18n*/ { id: "error.receipt.not_found", message: "This exam has no such receipt." },
};
/** All bytes of the study are read for its first receipt. */
export const receiptNotReady: ErrorKind = {
  status: 503,
  code: "receipt.not_ready",
  text: /*i18n*/ {
    id: "error.receipt.not_ready",
    message: "The receipt is being made: every image is read for it. Try again in a moment.",
  },
};
export const receiptTooLarge: ErrorKind = {
  status: 422,
  code: "receipt.too_large",
  text: /*i18n*/ {
    id: "error.receipt.too_large",
    message: "This exam has more images than one receipt can list.",
  },
};
