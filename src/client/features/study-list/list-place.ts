import type { SortingState } from "@tanstack/react-table";
import { atom } from "jotai";
import { noFilters } from "./study-filters.ts";

// How the list stood when it was left; kept while the person is in /his.

const NEWEST_FIRST: SortingState = [{ id: "studyDate", desc: true }];
export const studySortingAtom = atom(NEWEST_FIRST);

/** The page that was shown, and the filters that it is a page of. */
export const studyPageAtom = atom({ pageIndex: 0, filters: noFilters });

/** How far down it was, in pixels. */
export const listScrollAtom = atom(0);

/** Studies whose series are shown, by id. */
export const openStudiesAtom = atom<Record<string, boolean>>({});
