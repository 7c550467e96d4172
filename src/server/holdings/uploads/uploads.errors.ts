import type { ErrorKind } from "../../http/app-error.ts";

export const uploadInterrupted: ErrorKind = {
  status: 400,
  code: "upload.interrupted",
  text: /*i18n*/ {
    id: "error.upload.interrupted",
    message: "The upload was interrupted. Nothing was stored.",
  },
};
