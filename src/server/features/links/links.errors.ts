import type { ErrorKind } from "../../http/app-error.ts";

/** A visitor gets the same answer whether the link is unknown, ended, expired or used up, or the secret is wrong. */
export const linkNotFound: ErrorKind = {
  status: 404,
  code: "link.not_found",
  text: /*i18n*/ {
    id: "error.link.not_found",
    message: "This link does not work. It may have expired or been ended. Ask the sender for another.",
  },
};
export const linkPasscode: ErrorKind = {
  status: 403,
  code: "link.passcode",
  text: /*i18n*/ { id: "error.link.passcode", message: "This link asks for a passcode of 6 digits." },
};
export const linkNotAllowed: ErrorKind = {
  status: 403,
  code: "link.not_allowed",
  text: /*i18n*/ { id: "error.link.not_allowed", message: "This link does not allow this." },
};
export const tooManyLinks: ErrorKind = {
  status: 409,
  code: "link.too_many",
  text: /*i18n*/ {
    id: "error.link.too_many",
    message: "This account has too many links. End some of them first.",
  },
};
export const linkOfOneOwner: ErrorKind = {
  status: 409,
  code: "link.one_owner",
  text: /*i18n*/ {
    id: "error.link.one_owner",
    message: "A link shows exams of one account. Make one link for each.",
  },
};
/** The link of a visit has ended, or 12 hours have passed. */
export const visitOver: ErrorKind = {
  status: 401,
  code: "visit.over",
  text: /*i18n*/ {
    id: "error.visit.over",
    message: "This visit is over. Open the link again, or ask the sender for another.",
  },
};
