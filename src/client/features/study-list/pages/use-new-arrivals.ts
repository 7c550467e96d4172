import { useAtomValue, useSetAtom } from "jotai";
import { useEffect, useLayoutEffect, useRef } from "react";
import { newStudiesAtom, showNewStudiesAtom } from "../../studies/new-studies.ts";
import { noFilters, studyFiltersAtom } from "../filters/study-filters.ts";
import { LAST_SENT_FIRST, listScrollAtom, studyPageAtom, studySortingAtom } from "./list-place.ts";

/** Marks a study's row, so that the list can scroll to it. */
export const rowOf = (studyId: string) => ({ "data-study": studyId });

/** The row that `rowOf` marked, if the list shows it now. */
function findRow(studyId: string): HTMLElement | null {
  return document.querySelector(`[data-study="${CSS.escape(studyId)}"]`);
}

/** What opens and closes that row. */
export function findToggle(studyId: string): HTMLElement | undefined {
  return findRow(studyId)?.querySelector<HTMLElement>(".expander, .phone-study-toggle") ?? undefined;
}

/** A list that is opened after an upload begins with what was sent, whatever it was sorted and filtered by. */
export function useNewArrivals(hasRows: boolean): void {
  const { ids, isShown } = useAtomValue(newStudiesAtom);
  const setShown = useSetAtom(showNewStudiesAtom);
  const setSorting = useSetAtom(studySortingAtom);
  const setFilters = useSetAtom(studyFiltersAtom);
  const setPage = useSetAtom(studyPageAtom);
  const setScroll = useSetAtom(listScrollAtom);
  const firstId = useRef(isShown ? undefined : ids[0]);

  useLayoutEffect(() => {
    if (firstId.current === undefined) return;
    setSorting(LAST_SENT_FIRST);
    setFilters(noFilters);
    setPage({ pageIndex: 0, filters: noFilters });
    setScroll(0);
    setShown();
  }, [setSorting, setFilters, setPage, setScroll, setShown]);

  useEffect(() => {
    const id = firstId.current;
    if (!hasRows || id === undefined) return;
    // After the frame in which the view scrolls to its top.
    const frame = requestAnimationFrame(() => {
      const row = findRow(id);
      if (!row) return;
      firstId.current = undefined;
      row.scrollIntoView({ block: "center" });
    });
    return () => cancelAnimationFrame(frame);
  });
}
