import type { ErrorKind } from "../../http/app-error.ts";

export const uploadInterrupted: ErrorKind = {
  status: 400,
  code: "upload.interrupted",
  text: /*i18n*/ {
    id: "error.upload.interrupted",
    message: "The upload was interrupted. Nothing was stored.",
  },
};

/** What reads uploads was ended from outside, such as by a system without memory, or its node was taken for dead meanwhile. */
export const uploadProcessLost: ErrorKind = {
  status: 503,
  code: "upload.process_lost",
  text: /*i18n*/ {
    id: "error.upload.process_lost",
    message: "The server could not finish reading the file. Nothing was stored. Try again shortly.",
  },
};
