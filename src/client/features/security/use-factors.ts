import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { Factors, RecoveryCodesAnswer } from "../../../shared/api/factors.ts";
import { answerInTime } from "../../calls/answer-in-time.ts";
import { ApiError } from "../../calls/api.ts";
import { mayBeDone } from "../../calls/may-be-done.ts";
import { securityApi } from "./security-api.ts";

const queryKey = ["auth", "factors"];
const factorsQuery = queryOptions({ queryKey, queryFn: ({ signal }) => securityApi.factors(signal) });

/** One's own passkeys, authenticator app and recovery codes. */
export function useFactors() {
  return useQuery(factorsQuery);
}

/**
 * The factors after a call that failed, if the server may have done all the same what was asked: its answer was lost, now or at a call
 * before, or another tab asked the same. Undefined if it refused, or if they can't be read either.
 */
export async function factorsAfterLoss(
  queryClient: QueryClient,
  failure: unknown,
): Promise<Factors | undefined> {
  if (!mayBeDone(failure)) return undefined;
  try {
    return await queryClient.fetchQuery({
      queryKey,
      queryFn: () => answerInTime((signal) => securityApi.factors(signal)),
      staleTime: 0,
    });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

export async function refreshFactors(queryClient: QueryClient): Promise<void> {
  await queryClient.invalidateQueries({ queryKey });
}

/** New recovery codes; `lost` if the server made them and its answer did not arrive. */
export type NewCodes = string[] | "lost";

/** What the account's owner must see after a new factor; null if it brought no codes. `before`: the factors until then. */
export function codesOf(answer: RecoveryCodesAnswer | undefined, before: Factors): NewCodes | null {
  if (answer) return answer.recoveryCodes;
  return hasFactor(before) ? null : "lost";
}

/** Whether signing in asks for more than the mailbox. */
export function hasFactor({ passkeys, totp }: Factors): boolean {
  return passkeys.length > 0 || totp !== null;
}
