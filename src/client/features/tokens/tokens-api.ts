import { type QueryClient, useQuery } from "@tanstack/react-query";
import {
  type AccessToken,
  accessTokensCall,
  endAccessTokenCall,
  type MadeAccessToken,
  makeAccessTokenCall,
  type NewAccessToken,
} from "../../../shared/api/access-tokens.ts";
import { answerInTime } from "../../calls/answer-in-time.ts";
import { callApi, callJson } from "../../calls/api.ts";
import { readAgainAfterFailure } from "../../calls/read-again.ts";

const queryKey = ["tokens"];

/** Calls about one's own access tokens. */
export const tokensApi = {
  make: (body: NewAccessToken): Promise<MadeAccessToken> =>
    answerInTime((signal) => callJson(makeAccessTokenCall, { body, signal })),
  end: (id: string) => callApi(endAccessTokenCall, { params: { id } }),
};

export function useAccessTokens() {
  return useQuery({
    queryKey,
    queryFn: ({ signal }): Promise<AccessToken[]> => callJson(accessTokensCall, { signal }),
    refetchInterval: readAgainAfterFailure,
  });
}

export async function refreshAccessTokens(queryClient: QueryClient): Promise<void> {
  await queryClient.invalidateQueries({ queryKey });
}
