import type { ErrorKind } from "../../http/app-error.ts";

export const wrongCredentials: ErrorKind = {
  status: 401,
  code: "auth.wrong_credentials",
  text: /*i18n*/ { id: "error.auth.wrong_credentials", message: "Wrong e-mail or password." },
};
export const notAuthorized: ErrorKind = {
  status: 403,
  code: "auth.not_authorized",
  text: /*i18n*/ {
    id: "error.auth.not_authorized",
    message: "Your account has not been authorized yet, or is blocked.",
  },
};
export const registrationClosed: ErrorKind = {
  status: 403,
  code: "auth.registration_closed",
  text: /*i18n*/ { id: "error.auth.registration_closed", message: "Registration of new accounts is closed." },
};
export const emailTaken: ErrorKind = {
  status: 409,
  code: "auth.email_taken",
  text: /*i18n*/ { id: "error.auth.email_taken", message: "There is already an account with this e-mail." },
};
export const wrongCode: ErrorKind = {
  status: 401,
  code: "auth.wrong_code",
  text: /*i18n*/ { id: "error.auth.wrong_code", message: "Wrong or expired code." },
};
export const deadLink: ErrorKind = {
  status: 400,
  code: "auth.dead_link",
  text: /*i18n*/ {
    id: "error.auth.dead_link",
    message: "This link is no longer valid. Ask for a new one.",
  },
};
/** Like {@link deadLink}, for a link that cannot be requested again. */
export const deadStop: ErrorKind = {
  status: 400,
  code: "auth.dead_link",
  text: /*i18n*/ {
    id: "error.auth.dead_stop",
    message: "This link is no longer valid: it was used, or is older than 7 days.",
  },
};
export const wrongCurrentPassword: ErrorKind = {
  status: 400,
  code: "auth.wrong_current_password",
  text: /*i18n*/ { id: "error.auth.wrong_current_password", message: "The current password is wrong." },
};
