import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import type { Visit } from "../../../shared/api/links.ts";
import { ApiError } from "../../calls/api.ts";
import { visitApi } from "./visit-api.ts";

const CHECK_MS = 10_000;

interface VisitWatch {
  /** The link has ended. */
  onEnd: () => void;
  /** Told what the visit is now. */
  onRead: (visit: Visit) => void;
  /** What a moment ago was read of it, if the first images are to have the line for themselves. */
  known?: Visit;
}

/** Follows a visit while one of its exams is viewed: a viewer asks for nothing more once it has all images. */
export function useVisitEnd(token: string, { onEnd, onRead, known }: VisitWatch): void {
  const { data, error } = useQuery({
    queryKey: ["visit", token],
    queryFn: () => visitApi.read(token),
    initialData: known,
    staleTime: CHECK_MS,
    gcTime: 0,
    refetchInterval: CHECK_MS,
  });
  const hasEnded = error instanceof ApiError && error.status === 401;
  const end = useEffectEvent(onEnd);
  const read = useEffectEvent(onRead);
  useEffect(() => {
    if (data) read(data);
  }, [data]);
  useEffect(() => {
    if (hasEnded) end();
  }, [hasEnded]);
}
