import {
  MutationCache,
  notifyManager,
  onlineManager,
  QueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import { ApiError } from "./api.ts";
import { mayBeDone } from "./may-be-done.ts";
import { readAgainAfterOutage } from "./read-again.ts";

const MAX_RETRIES = 2;

declare module "@tanstack/react-query" {
  interface Register {
    mutationMeta: {
      /** Roots of what the mutation changes: read again once it is done, and if it failed but was perhaps done. */
      changes?: readonly QueryKey[];
    };
  }
}

/** Data stays fresh until something invalidates it; a query that needs fresher data sets its own `staleTime`. */
export function createQueryClient(): QueryClient {
  // The manager believes in a connection until an event says otherwise; a page opened without one never gets that event.
  onlineManager.setOnline(navigator.onLine);
  // A timer may come after the second click of a double click, which finds the button not yet disabled and sends the same again.
  notifyManager.setScheduler(queueMicrotask);
  const queryClient = new QueryClient({
    mutationCache: new MutationCache({
      onSettled: (_answer, failure, _variables, _context, { meta }) => {
        const reading = readAgain(queryClient, meta?.changes ?? [], failure);
        // A mutation that is done goes on until what it changed is shown; a failure is shown at once.
        return failure ? undefined : reading;
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        retry: false,
        refetchOnWindowFocus: false,
        // Without a connection a query fails and its view says so, instead of waiting; it is read again with the connection.
        networkMode: "always",
        refetchOnReconnect: true,
        // No event tells that a server is there again. A hidden page does not ask.
        refetchInterval: readAgainAfterOutage,
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
  return queryClient;
}

async function readAgain(
  queryClient: QueryClient,
  changes: readonly QueryKey[],
  failure: Error | null,
): Promise<void> {
  if (failure && !mayBeDone(failure)) return;
  await Promise.all(changes.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
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
