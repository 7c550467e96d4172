import type { ErrorKind } from "../../http/app-error.ts";

export const findingNotFound: ErrorKind = {
  status: 404,
  code: "finding.not_found",
  text: /*i18n*/ { id: "error.finding.not_found", message: "This finding does not exist." },
};
export const findingClosed: ErrorKind = {
  status: 409,
  code: "finding.closed",
  text: /*i18n*/ { id: "error.finding.closed", message: "This finding is settled already." },
};
