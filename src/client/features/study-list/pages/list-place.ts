import type { SortingState } from "@tanstack/react-table";
import { atom } from "jotai";
import { noFilters } from "../filters/study-filters.ts";

// The state of the list when the person left it, kept while they are in /his.

export const NEWEST_FIRST: SortingState = [{ id: "studyDate", desc: true }];
/** By when they were sent; no column shows it. */
export const LAST_SENT_FIRST: SortingState = [{ id: "createdAt", desc: true }];
export const studySortingAtom = atom(NEWEST_FIRST);

/** The page that was shown, and the filters it belongs to. */
export const studyPageAtom = atom({ pageIndex: 0, filters: noFilters });

/** Whether this page has brought back the rows that a reload lost. */
export const areRowsRestoredAtom = atom(false);

/** Scroll position in pixels. */
export const listScrollAtom = atom(0);

/** Studies whose series are shown, by id. */
export const openStudiesAtom = atom<Record<string, boolean>>({});
