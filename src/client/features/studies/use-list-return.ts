import { atom, useAtom } from "jotai";
import { useEffect } from "react";

/** The study for whose view the list was left, by id. */
export const leftForStudyAtom = atom<string | undefined>(undefined);

/** Marks the button that opens a study, so that the focus finds it again. */
export const openerOf = (studyId: string) => ({ "data-opens": studyId });

/** Gives the focus, once the list has its rows again, to the study for whose view it was left. */
export function useListReturn(hasRows: boolean): void {
  const [studyId, setStudyId] = useAtom(leftForStudyAtom);
  useEffect(() => {
    if (!studyId || !hasRows) return;
    // After the frame of the view, which takes the focus and the scroll position first.
    const frame = requestAnimationFrame(() => {
      const opener = document.querySelector<HTMLElement>(`[data-opens="${CSS.escape(studyId)}"]`);
      opener?.focus({ preventScroll: true });
      setStudyId(undefined);
    });
    return () => cancelAnimationFrame(frame);
  }, [studyId, hasRows, setStudyId]);
}
