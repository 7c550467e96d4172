import { useInfiniteQuery } from "@tanstack/react-query";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { profileApi } from "./profile-api.ts";

const queryKey = ["activity"];

/** The pages of the account's activity so far, and what loads the next one; `showMore` is undefined after the last. */
export function useActivity() {
  const query = useInfiniteQuery({
    queryKey,
    staleTime: 0,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) => profileApi.activity(pageParam, signal),
    getNextPageParam: ({ events, hasMore }) => (hasMore ? events.at(-1)?.id : undefined),
  });
  const { data, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  return {
    pages: data?.pages,
    error: useFailure(query),
    refetch,
    showMore: hasNextPage ? () => void fetchNextPage() : undefined,
    isLoadingMore: isFetchingNextPage,
  };
}
