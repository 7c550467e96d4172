import type { CurrentUser } from "../../../shared/api/users.ts";
import { isOffline } from "../../calls/query-client.ts";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { useServerNow } from "../../ui/hooks/use-now.ts";
import { useMySubscription } from "./use-my-subscription.ts";

const TICK_MS = 60_000;

/**
 * Whether the person's subscription is active now; an admin's always is. Until the server has answered, the end that
 * came with the user decides. A check that failed counts as not active, unless
 * there is no connection. The page notices an end within a minute.
 */
export function useIsActive(user: CurrentUser | undefined): boolean {
  const now = useServerNow(TICK_MS);
  const isAdmin = user?.role === "admin";
  const query = useMySubscription({ enabled: user !== undefined && !isAdmin });
  const { data } = query;
  const failure = useFailure(query);
  if (!user || isAdmin) return isAdmin;
  const isAhead = (expiresAt: string | null) => expiresAt === null || Date.parse(expiresAt) > now;
  if (data === undefined) return (!failure || isOffline(failure)) && isAhead(user.expiresAt);
  return data !== null && data.status === "active" && isAhead(data.expiresAt);
}
