import type { ErrorKind } from "../../../http/app-error.ts";

export const passkeysUnavailable: ErrorKind = {
  status: 409,
  code: "passkey.unavailable",
  text: /*i18n*/ {
    id: "error.passkey.unavailable",
    message: "Passkeys need this service to run under https and a name of its own.",
  },
};
export const passkeyRefused: ErrorKind = {
  status: 400,
  code: "passkey.refused",
  text: /*i18n*/ {
    id: "error.passkey.refused",
    message: "This passkey could not be registered. Please try again.",
  },
};
export const passkeyKnown: ErrorKind = {
  status: 409,
  code: "passkey.known",
  text: /*i18n*/ { id: "error.passkey.known", message: "This passkey is registered already." },
};
export const tooManyPasskeys: ErrorKind = {
  status: 409,
  code: "passkey.too_many",
  text: /*i18n*/ {
    id: "error.passkey.too_many",
    message: "There are 20 passkeys already. Remove one that you no longer use.",
  },
};
export const passkeyNotFound: ErrorKind = {
  status: 404,
  code: "passkey.not_found",
  text: /*i18n*/ { id: "error.passkey.not_found", message: "This passkey is not registered any more." },
};
/** For a sign-in. It never says whether the key, its account or the signature was wrong. */
export const wrongPasskey: ErrorKind = {
  status: 401,
  code: "auth.wrong_passkey",
  text: /*i18n*/ {
    id: "error.auth.wrong_passkey",
    message: "This passkey does not open an account here. Log in with your password.",
  },
};
export const factorRequired: ErrorKind = {
  status: 400,
  code: "auth.factor_required",
  text: /*i18n*/ {
    id: "error.auth.factor_required",
    message: "Confirm with a passkey, a code from your authenticator app or a recovery code.",
  },
};
/** For a signed-in user, so it is not a 401. */
export const wrongFactor: ErrorKind = {
  status: 400,
  code: "auth.wrong_factor",
  text: /*i18n*/ { id: "error.auth.wrong_factor", message: "Wrong or used code, or the wrong passkey." },
};
export const totpOn: ErrorKind = {
  status: 409,
  code: "totp.already_on",
  text: /*i18n*/ {
    id: "error.totp.already_on",
    message: "There is an authenticator app already. Remove it before you add another.",
  },
};
export const totpNotPending: ErrorKind = {
  status: 409,
  code: "totp.not_pending",
  text: /*i18n*/ {
    id: "error.totp.not_pending",
    message: "This took too long. Start again with a new QR code.",
  },
};
export const totpOff: ErrorKind = {
  status: 404,
  code: "totp.off",
  text: /*i18n*/ { id: "error.totp.off", message: "There is no authenticator app to remove." },
};
export const wrongTotpCode: ErrorKind = {
  status: 400,
  code: "totp.wrong_code",
  text: /*i18n*/ {
    id: "error.totp.wrong_code",
    message: "This code is not right. Check the clock of your phone and type the newest code.",
  },
};
export const noFactors: ErrorKind = {
  status: 409,
  code: "factor.none",
  text: /*i18n*/ {
    id: "error.factor.none",
    message: "Recovery codes come with a passkey or an authenticator app. Add one first.",
  },
};
