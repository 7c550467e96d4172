import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { StudyListQuery } from "../../../../shared/api/studies.ts";
import { isOffline, mayRetry } from "../../../calls/query-client.ts";
import { STUDIES } from "../../../calls/query-keys.ts";
import { readAgainAfterOutage } from "../../../calls/read-again.ts";
import { usePageRead } from "../../../ui/hooks/use-page-read.ts";
import { useHis } from "../../session/his-context.ts";
import { pollWhileMoving } from "../../studies/poll-while-moving.ts";
import { studiesApi } from "../../studies/studies-api.ts";
import { countFilters, filterQuery, type StudyFilters } from "../filters/study-filters.ts";
import { keepList, readKeptList } from "./kept-list.ts";

export const STUDIES_PER_PAGE = 10;

const CACHED_MS = 60_000;

export type StudySort = Required<Pick<StudyListQuery, "sort" | "order">>;

/**
 * One page of the filtered studies; the first page as it was last shown if there is no connection (`keptAt`). While it is read, the page
 * before it, if that has any (`isReading`). Read again every 5 s while any of them is being transferred to the store.
 */
export function useStudyList(filters: StudyFilters, sort: StudySort, pageIndex: number) {
  const query = {
    ...filterQuery(filters),
    ...sort,
    limit: STUDIES_PER_PAGE,
    offset: pageIndex * STUDIES_PER_PAGE,
  };
  const { user } = useHis();
  const isFirstPage = pageIndex === 0 && countFilters(filters) === 0;
  const list = useQuery({
    queryKey: [STUDIES, "list", query],
    queryFn: async ({ signal }) => {
      const page = await studiesApi.list(query, signal);
      if (isFirstPage) keepList(user, page);
      return page;
    },
    placeholderData: keepPreviousData,
    staleTime: CACHED_MS,
    retry: mayRetry,
    refetchInterval: (read) => readAgainAfterOutage(read) || pollWhileMoving(read),
  });
  const { data: page, isReading, ...read } = usePageRead(list, ({ studies }) => studies.length === 0);
  const error = read.error ?? null;
  const kept = isFirstPage && page === undefined && isOffline(error) ? readKeptList(user) : undefined;
  const { isFetching, refetch } = list;
  return { data: page ?? kept?.page, error, keptAt: kept?.keptAt, isReading, isFetching, refetch };
}
