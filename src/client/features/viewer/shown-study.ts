import { atom, useSetAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { viewAtom } from "../his/views.ts";
import { viewedStudyAtom } from "../studies/list-actions.ts";
import { leftByAtom } from "../studies/list-place.ts";

/** The study that the viewer view shows. */
export const shownStudyAtom = atom<Study | undefined>(undefined);

/** Moves a study from the overlay into the page. */
export function useOpenInPage(): (study: Study) => void {
  const setViewed = useSetAtom(viewedStudyAtom);
  const setShown = useSetAtom(shownStudyAtom);
  const setLeftBy = useSetAtom(leftByAtom);
  const setView = useSetAtom(viewAtom);
  return (study) => {
    setViewed(undefined);
    setShown(study);
    setLeftBy({ studyId: study.id, opens: "viewer" });
    setView("viewer");
  };
}
