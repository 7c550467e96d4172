import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { StudyListQuery } from "../../../shared/api/studies.ts";
import { ApiError } from "../../api.ts";
import { STUDIES } from "./refresh-exams.ts";
import { studiesApi } from "./studies-api.ts";
import { filterQuery, type StudyFilters } from "./study-filters.ts";
import { isMoving } from "./study-text.ts";

export const STUDIES_PER_PAGE = 10;

const CACHED_MS = 60_000;
const POLL_MS = 5_000;
const MAX_RETRIES = 2;

export type StudySort = Required<Pick<StudyListQuery, "sort" | "order">>;

/** One page of the studies that pass the filters; read again every 5 s while any of them is on its way to the store. */
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

/** A dead session or a missing right stays so. */
export function mayRetry(failures: number, error: Error): boolean {
  const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
  return failures < MAX_RETRIES && !isRefused;
}
