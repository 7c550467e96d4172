import type { ErrorKind } from "../../http/app-error.ts";

export const examLimitReached: ErrorKind = {
  status: 403,
  code: "quota.exams",
  text: /*i18n*/ { id: "error.quota.exams", message: "Exam limit reached" },
};
export const trialLimitReached: ErrorKind = {
  status: 403,
  code: "quota.trial",
  text: /*i18n*/ {
    id: "error.quota.trial",
    message:
      "Limit exceeded: you have already uploaded {count} exams and reached the maximum for trial users.",
  },
};
export const actionLimitReached: ErrorKind = {
  status: 403,
  code: "quota.actions",
  text: /*i18n*/ { id: "error.quota.actions", message: "Monthly action limit reached" },
};
