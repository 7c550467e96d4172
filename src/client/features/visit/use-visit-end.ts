import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import type { Visit } from "../../../shared/api/links.ts";
import { ApiError } from "../../api.ts";
import { visitApi } from "./visit-api.ts";

const CHECK_MS = 10_000;

/**
 * Calls `onEnd` when the link of a visit has ended: a viewer asks for nothing more once it has all images.
 * @param known what a moment ago was read of it, if the first images are to have the line for themselves
 */
export function useVisitEnd(token: string, onEnd: () => void, known?: Visit): void {
  const { error } = useQuery({
    queryKey: ["visit", token],
    queryFn: () => visitApi.read(token),
    initialData: known,
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
