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
export const storageLimitReached: ErrorKind = {
  status: 403,
  code: "quota.bytes",
  text: /*i18n*/ {
    id: "error.quota.bytes",
    message:
      "There is not enough storage left in your plan: {used, number} of {limit, number} GB are used. Nothing was stored.",
  },
};
/** For a user who adds to another account's study: that account's usage is not shown to them. */
export const ownerStorageLimitReached: ErrorKind = {
  status: 403,
  code: "quota.bytes",
  text: /*i18n*/ {
    id: "error.quota.bytesOfOwner",
    message: "The account of this exam has no storage left in its plan. Nothing was stored.",
  },
};
export const noSubscription: ErrorKind = {
  status: 404,
  code: "subscription.not_found",
  text: /*i18n*/ { id: "error.subscription.not_found", message: "You have no subscription." },
};
export const subscriptionNotActive: ErrorKind = {
  status: 409,
  code: "subscription.not_active",
  text: /*i18n*/ {
    id: "error.subscription.not_active",
    message: "There is no active subscription to cancel.",
  },
};
export const planNotFound: ErrorKind = {
  status: 404,
  code: "plan.not_found",
  text: /*i18n*/ { id: "error.plan.not_found", message: "This plan does not exist or is no longer offered." },
};
export const planTooSmall: ErrorKind = {
  status: 409,
  code: "plan.too_small",
  text: /*i18n*/ {
    id: "error.plan.too_small",
    message:
      "You keep {count} exams and this plan holds {limit}. Choose a larger plan or delete exams first.",
  },
};
export const planTooSmallForBytes: ErrorKind = {
  status: 409,
  code: "plan.too_small",
  text: /*i18n*/ {
    id: "error.plan.too_small_for_bytes",
    message:
      "You keep {used, number} GB and this plan holds {limit, number}. Choose a larger plan or delete exams first.",
  },
};
export const planNotOfferable: ErrorKind = {
  status: 409,
  code: "plan.not_offerable",
  text: /*i18n*/ {
    id: "error.plan.not_offerable",
    message: "The system itself gives this plan: it has no price and can't be offered.",
  },
};
