import { AppError, type ErrorKind } from "../../../http/app-error.ts";
import { subscriptionRequired } from "../../../http/guard.ts";

const text = /*i18n*/ {
  id: "error.quota.ofRecipient",
  message:
    "The account that is to receive these exams has no room for them. Nothing was stored. Ask its owner to make room.",
};
/** For whoever delivers to an account: its plan and its numbers are not shown to them. */
const accountStorageFull: ErrorKind = { status: 403, code: "quota.bytes", text };
const accountExamsFull: ErrorKind = { status: 403, code: "quota.exams", text };

/** A refusal in words for somebody without an account, who learns nothing about the plan of the account they deliver to. */
export function asToldToDeliverer(error: AppError): AppError {
  const { code } = error.kind;
  if (code === "quota.bytes") return new AppError(accountStorageFull);
  const isAboutPlan = code.startsWith("quota.") || error.kind === subscriptionRequired;
  return isAboutPlan ? new AppError(accountExamsFull) : error;
}
