import type { ActingToken } from "../../../../shared/api/access-tokens.ts";

/** The token of an event as the API says it; nothing of an event without one. */
export function presentActingToken({
  isByToken,
  tokenName,
}: {
  isByToken: boolean;
  tokenName: string | null;
}): {
  token?: ActingToken;
} {
  return isByToken ? { token: { name: tokenName } } : {};
}
