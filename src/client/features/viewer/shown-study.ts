import { useSetAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { viewSubjectAtoms } from "../places/views.ts";
import { leftByAtom } from "../studies/list-openers.ts";

/** The study that the viewer view shows. */
export const shownStudySubject = viewSubjectAtoms<Study>("viewer", "listaExames");
export const shownStudyAtom = shownStudySubject.valueAtom;

/** Moves a study from the overlay into the page. */
export function useOpenInPage(): (study: Study) => void {
  const setShown = useSetAtom(shownStudyAtom);
  const setLeftBy = useSetAtom(leftByAtom);
  return (study) => {
    setLeftBy({ studyId: study.id, opens: "viewer" });
    setShown(study);
  };
}
