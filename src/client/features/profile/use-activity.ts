import { useInfiniteQuery } from "@tanstack/react-query";
import { profileApi } from "./profile-api.ts";

const queryKey = ["activity"];

/** The pages of the account's activity so far, and what loads the next one; `showMore` is undefined after the last. */
export function useActivity() {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey,
    staleTime: 0,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) => profileApi.activity(pageParam, signal),
    getNextPageParam: ({ events, hasMore }) => (hasMore ? events.at(-1)?.id : undefined),
  });
  return {
    pages: data?.pages,
    error,
    refetch,
    showMore: hasNextPage ? () => void fetchNextPage() : undefined,
    isLoadingMore: isFetchingNextPage,
  };
}
