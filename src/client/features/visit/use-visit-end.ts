import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { ApiError } from "../../api.ts";
import { visitApi } from "./visit-api.ts";

const CHECK_MS = 10_000;

/** Calls `onEnd` when the link of a visit has ended. OHIF does not tell, and asks for nothing more once it has all images. */
export function useVisitEnd(token: string, onEnd: () => void): void {
  const { error } = useQuery({
    queryKey: ["visit", token],
    queryFn: () => visitApi.read(token),
    staleTime: CHECK_MS,
    gcTime: 0,
    refetchInterval: CHECK_MS,
  });
  const hasEnded = error instanceof ApiError && error.status === 401;
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    if (hasEnded) end();
  }, [hasEnded]);
}
