import type { ErrorKind } from "../../../http/app-error.ts";

export const tooManyAccessTokens: ErrorKind = {
  status: 409,
  code: "token.too_many",
  text: /*i18n*/ {
    id: "error.token.too_many",
    message: "There are 50 tokens already. Revoke one that you no longer use.",
  },
};
export const accessTokenNotFound: ErrorKind = {
  status: 404,
  code: "token.not_found",
  text: /*i18n*/ { id: "error.token.not_found", message: "This token is revoked already." },
};
