import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import type { MadeAccessToken, NewAccessToken } from "../../../shared/api/access-tokens.ts";
import { DAY_MS } from "../../../shared/units.ts";
import { serverNow } from "../../calls/server-clock.ts";
import { useStay } from "../places/use-stay.ts";
import { refreshAccessTokens, tokensApi } from "./tokens-api.ts";

/** A token that is to be made. */
export interface WantedToken extends Pick<NewAccessToken, "name" | "scopes"> {
  days: number;
}

/** Makes a token. The view stays until the answer is there, since the token is shown this once. */
export function useMakeToken(
  onMade: (made: MadeAccessToken) => void,
): UseMutationResult<MadeAccessToken, Error, WantedToken> {
  const queryClient = useQueryClient();
  const making = useMutation({
    mutationFn: ({ days, ...wanted }: WantedToken) =>
      tokensApi.make({ ...wanted, expiresAt: new Date(serverNow() + days * DAY_MS).toISOString() }),
    // It is shown without waiting for the list.
    onSuccess: onMade,
    // If the answer got lost, a token may be there that nobody has seen.
    onSettled: () => void refreshAccessTokens(queryClient),
  });
  useStay(making.isPending);
  return making;
}
