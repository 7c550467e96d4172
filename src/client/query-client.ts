import { QueryClient } from "@tanstack/react-query";

/** Data stays fresh until something invalidates it; a query that wants more says so itself. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false },
      mutations: { retry: false },
    },
  });
}
