import { notifyManager, onlineManager, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";

const MAX_RETRIES = 2;

/** Data stays fresh until something invalidates it; a query that needs fresher data sets its own `staleTime`. */
export function createQueryClient(): QueryClient {
  // The manager believes in a connection until an event says otherwise; a page opened without one never gets that event.
  onlineManager.setOnline(navigator.onLine);
  // A timer may come after the second click of a double click, which finds the button not yet disabled and sends the same again.
  notifyManager.setScheduler(queueMicrotask);
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        retry: false,
        refetchOnWindowFocus: false,
        // Without a connection a query fails and its view says so, instead of waiting; it is read again with the connection.
        networkMode: "always",
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

/** Whether a call failed because the server was not reached. */
export function isOffline(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 0;
}

/** Whether a failed query is retried: twice, but never without a connection, or after an ended session or a missing permission. */
export function mayRetry(failures: number, error: Error): boolean {
  if (isOffline(error) && !navigator.onLine) return false;
  const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
  return failures < MAX_RETRIES && !isRefused;
}
