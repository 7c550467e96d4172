import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useAtomValue, useSetAtom } from "jotai";
import { useEffect, useState } from "react";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { api } from "../../calls/api.ts";
import { isOffline } from "../../calls/query-client.ts";
import { CURRENT_USER } from "../../calls/query-keys.ts";
import {
  currentToken,
  endSessionIfSignedOut,
  onSessionEndElsewhere,
  refreshSessionUser,
  type Session,
  sessionAtom,
} from "../../session.ts";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { readKeptUser } from "./kept-user.ts";
import { knownEndAtom } from "./known-end.ts";

/**
 * The user as the server says now; until it has answered, as the browser kept it. When another tab's session ends,
 * asks the server again: a 401 ends this session too. So does signing out there of this very session.
 */
export function useCurrentUser() {
  const session = useAtomValue(sessionAtom);
  const queryClient = useQueryClient();
  const setToldEnd = useSetAtom(knownEndAtom);
  const query = useQuery({
    queryKey: CURRENT_USER,
    enabled: session !== undefined,
    queryFn: async ({ signal }) => {
      for (;;) {
        const token = currentToken();
        const user = await api.currentUser(signal);
        // Before its first answer a tab has the session that stays, and another tab may meanwhile begin somebody else's.
        if (token !== currentToken()) continue;
        refreshSessionUser(user);
        return user;
      }
    },
  });
  // The page of a kept user stays while they are read again.
  const error = useFailure(query);

  useEffect(() => {
    const check = async (reason: unknown) => {
      // A page also hears of the end that it announced itself, and knows more of it.
      if (reason === "logout" || reason === "password")
        setToldEnd((known) => (known === "deleted" ? known : reason));
      endSessionIfSignedOut();
      await queryClient.invalidateQueries({ queryKey: CURRENT_USER });
      // It was somebody else's session, or another of the same person.
      if (currentToken() !== undefined) setToldEnd(undefined);
    };
    return onSessionEndElsewhere(({ data: reason }) => void check(reason));
  }, [queryClient, setToldEnd]);

  const user = useUserOf(session, isOffline(error ?? null));
  return { user, error, retry: () => void query.refetch() };
}

/** The session's user. A token that was kept from an earlier visit came without one; offline, theirs is what was kept with it. */
function useUserOf(session: Session | undefined, isAway: boolean): CurrentUser | undefined {
  // They stay when another tab begins a session, which drops what was kept.
  const [kept, setKept] = useState<CurrentUser>();
  if (session?.user) return session.user;
  if (!session || !isAway) return undefined;
  const found = kept ?? readKeptUser();
  if (found !== kept) setKept(found);
  return found;
}
