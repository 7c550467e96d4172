import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";

const MAX_RETRIES = 2;

/** Data stays fresh until something invalidates it; a query that needs fresher data sets its own `staleTime`. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false },
      mutations: { retry: false },
    },
  });
}

/** Whether a failed query is retried: twice, but never after an ended session or a missing permission. */
export function mayRetry(failures: number, error: Error): boolean {
  const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
  return failures < MAX_RETRIES && !isRefused;
}
