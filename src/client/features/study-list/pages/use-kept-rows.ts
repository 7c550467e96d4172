import { useAtomValue, useStore } from "jotai";
import { useEffect, useState } from "react";
import * as z from "zod/mini";
import { studySorts } from "../../../../shared/api/studies.ts";
import { useHis } from "../../session/his-context.ts";
import { keepInTab, readKeptInTab } from "../../session/kept-in-tab.ts";
import { FILTER_MODALITIES, noFilters, studyFiltersAtom } from "../filters/study-filters.ts";
import { areRowsRestoredAtom, NEWEST_FIRST, studyPageAtom, studySortingAtom } from "./list-place.ts";

const ROWS = "study-rows";

const keptRowsSchema = z.object({
  pageIndex: z.int().check(z.nonnegative()),
  sort: z.object({ id: z.enum(studySorts), desc: z.boolean() }),
  filters: z.object({
    search: z.string(),
    patientName: z.string(),
    startDate: z.string(),
    endDate: z.string(),
    modality: z.enum(["all", ...FILTER_MODALITIES]),
    description: z.string(),
    accessionNumber: z.string(),
    patientID: z.string(),
  }),
});

type Store = ReturnType<typeof useStore>;

/**
 * Keeps page, order and filters for a reload. Not in the address or the browser's history: filters name patients, and what is kept in
 * the tab ends with the session.
 */
export function useKeptRows(): void {
  const { id } = useHis().user;
  const store = useStore();
  useState(() => restoreRows(store, id));
  const filters = useAtomValue(studyFiltersAtom);
  const page = useAtomValue(studyPageAtom);
  const sorting = useAtomValue(studySortingAtom);
  useEffect(() => {
    // The page belongs to the filters that it was opened with.
    const pageIndex = page.filters === filters ? page.pageIndex : 0;
    const isAtFirst = pageIndex === 0 && sorting === NEWEST_FIRST && filters === noFilters;
    keepInTab(id, ROWS, isAtFirst ? undefined : { pageIndex, sort: sorting[0], filters });
  }, [id, filters, page, sorting]);
}

/** Brings the rows back to a page that was loaded anew, unless the person has asked for others on their way to the list. */
function restoreRows(store: Store, userId: string): void {
  const isDone = store.get(areRowsRestoredAtom) || store.get(studyFiltersAtom) !== noFilters;
  store.set(areRowsRestoredAtom, true);
  const kept = keptRowsSchema.safeParse(readKeptInTab(userId, ROWS));
  if (isDone || !kept.success) return;
  const { filters, pageIndex, sort } = kept.data;
  store.set(studyFiltersAtom, filters);
  store.set(studyPageAtom, { pageIndex, filters });
  store.set(studySortingAtom, [sort]);
}
