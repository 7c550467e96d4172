import { useQueryClient } from "@tanstack/react-query";
import { useAtomValue } from "jotai";
import { useEffect } from "react";
import { notificationsQuery } from "../notifications/use-notifications.ts";
import { viewAtom } from "../places/views.ts";
import { recentStudiesQuery } from "./recent-studies.ts";
import { sharedWithMeQuery } from "./shared-with-me.ts";

/** Begins to read what a patient's home shows while the frame around it is drawn: a slow phone takes half a second for that. */
export function useHomeAhead(isPatient: boolean): void {
  const queryClient = useQueryClient();
  const isAtHome = useAtomValue(viewAtom) === "welcome";
  const isWanted = isPatient && isAtHome;
  useEffect(() => {
    if (!isWanted) return;
    void queryClient.prefetchQuery(recentStudiesQuery);
    void queryClient.prefetchQuery(sharedWithMeQuery);
    void queryClient.prefetchQuery(notificationsQuery);
  }, [isWanted, queryClient]);
}
