import type { ErrorKind } from "../../http/app-error.ts";

export const tooManyReceivers: ErrorKind = {
  status: 409,
  code: "receiver.too_many",
  text: /*i18n*/ {
    id: "error.receiver.too_many",
    message: "There are 20 receivers already. Remove one that you no longer use.",
  },
};
export const aeTitleTaken: ErrorKind = {
  status: 409,
  code: "receiver.title_taken",
  text: /*i18n*/ {
    id: "error.receiver.title_taken",
    message: "This AE title is in use on this server. Choose another one.",
  },
};
export const receiverNotFound: ErrorKind = {
  status: 404,
  code: "receiver.not_found",
  text: /*i18n*/ { id: "error.receiver.not_found", message: "This receiver has been removed already." },
};
