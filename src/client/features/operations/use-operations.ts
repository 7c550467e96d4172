import { useQuery, useQueryClient } from "@tanstack/react-query";
import { operationsApi } from "./operations-api.ts";

/** Root of the query keys of how the installation does. */
export const OPERATIONS = ["operations"];
const REFRESH_MS = 30_000;

/** How the installation does; read again every half minute. */
export function useOperations() {
  return useQuery({
    queryKey: [...OPERATIONS, "now"],
    staleTime: 0,
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => operationsApi.read(signal),
  });
}

export function useDeadLetters() {
  return useQuery({
    queryKey: [...OPERATIONS, "dead-letters"],
    staleTime: 0,
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => operationsApi.deadLetters(signal),
  });
}

/** Returns a function that reads all of these data again. */
export function useOperationsRefresh(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: OPERATIONS });
}
