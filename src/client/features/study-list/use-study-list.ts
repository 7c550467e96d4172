import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { StudyListQuery } from "../../../shared/api/studies.ts";
import { mayRetry } from "../../query-client.ts";
import { STUDIES } from "../../query-keys.ts";
import { studiesApi } from "../studies/studies-api.ts";
import { isMoving } from "../studies/study-text.ts";
import { filterQuery, type StudyFilters } from "./study-filters.ts";

export const STUDIES_PER_PAGE = 10;

const CACHED_MS = 60_000;
const POLL_MS = 5_000;

export type StudySort = Required<Pick<StudyListQuery, "sort" | "order">>;

/** One page of the filtered studies, read again every 5 s while any of them is being transferred to the store. */
export function useStudyList(filters: StudyFilters, sort: StudySort, pageIndex: number) {
  const query = {
    ...filterQuery(filters),
    ...sort,
    limit: STUDIES_PER_PAGE,
    offset: pageIndex * STUDIES_PER_PAGE,
  };
  return useQuery({
    queryKey: [STUDIES, "list", query],
    queryFn: ({ signal }) => studiesApi.list(query, signal),
    placeholderData: keepPreviousData,
    staleTime: CACHED_MS,
    retry: mayRetry,
    refetchInterval: ({ state }) =>
      state.data?.studies.some(({ storageStatus }) => isMoving(storageStatus)) ? POLL_MS : false,
  });
}
