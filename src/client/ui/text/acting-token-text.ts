import type { I18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { ActingToken } from "../../../shared/api/access-tokens.ts";

/** Says with which token a program acted for the account; undefined if a person acted. */
export function actingTokenText(i18n: I18n, token: ActingToken | undefined): string | undefined {
  if (!token) return undefined;
  const { name } = token;
  return i18n._(
    name === null
      ? msg({ id: "actingToken.ended", message: "by a token that has ended" })
      : msg({ id: "actingToken.named", message: `by the token “${name}”` }),
  );
}
