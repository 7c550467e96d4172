import type { ErrorKind } from "../../../http/app-error.ts";

export const userNotFound: ErrorKind = {
  status: 404,
  code: "user.not_found",
  text: /*i18n*/ { id: "error.user.not_found", message: "User not found." },
};
export const ownFactors: ErrorKind = {
  status: 409,
  code: "user.own_factors",
  text: /*i18n*/ {
    id: "error.user.own_factors",
    message: "Remove your own passkeys and authenticator app in your profile.",
  },
};
export const newAdmin: ErrorKind = {
  status: 403,
  code: "user.new_admin",
  text: /*i18n*/ {
    id: "error.user.new_admin",
    message:
      "An administrator whom another one added or moved to another address waits for 24 hours before removing second factors.",
  },
};
export const ownEmail: ErrorKind = {
  status: 409,
  code: "user.own_email",
  text: /*i18n*/ {
    id: "error.user.own_email",
    message: "Change your own e-mail in your profile, with your password.",
  },
};
export const lastAdmin: ErrorKind = {
  status: 409,
  code: "user.last_admin",
  text: /*i18n*/ {
    id: "error.user.last_admin",
    message: "This is the last administrator: it can't be deleted, demoted or blocked.",
  },
};
