import type { ErrorKind } from "../../http/app-error.ts";

export const reportNotFound: ErrorKind = {
  status: 404,
  code: "report.not_found",
  text: /*i18n*/ { id: "error.report.not_found", message: "This exam has no report." },
};
export const reportExists: ErrorKind = {
  status: 409,
  code: "report.exists",
  text: /*i18n*/ { id: "error.report.exists", message: "This exam already has a report. Delete it first." },
};
