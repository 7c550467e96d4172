import type { ErrorKind } from "../../http/app-error.ts";

export const removalNotFound: ErrorKind = {
  status: 404,
  code: "removal.not_found",
  text: /*i18n*/ { id: "error.removal.not_found", message: "There is no such removal." },
};
export const removalOver: ErrorKind = {
  status: 409,
  code: "removal.over",
  text: /*i18n*/ {
    id: "error.removal.over",
    message: "These exams were brought back already, or are deleted for good.",
  },
};
