import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { Factors } from "../../../shared/api/factors.ts";
import { securityApi } from "./security-api.ts";

const queryKey = ["auth", "factors"];

/** One's own passkeys, authenticator app and recovery codes. */
export function useFactors() {
  return useQuery({ queryKey, queryFn: ({ signal }) => securityApi.factors(signal) });
}

export async function refreshFactors(queryClient: QueryClient): Promise<void> {
  await queryClient.invalidateQueries({ queryKey });
}

/** Whether signing in asks for more than the mailbox. */
export function hasFactor({ passkeys, totp }: Factors): boolean {
  return passkeys.length > 0 || totp !== null;
}
