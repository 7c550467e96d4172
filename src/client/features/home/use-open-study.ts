import { useSetAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { viewAtom } from "../places/views.ts";
import { isViewable } from "../studies/study-text.ts";
import { shownStudyAtom } from "../viewer/shown-study.ts";

/** Returns a function that opens a study's images; one on its way to the store leads to the list, which shows its state. */
export function useOpenStudy(): (study: Study) => void {
  const show = useSetAtom(shownStudyAtom);
  const setView = useSetAtom(viewAtom);
  return (study) => (isViewable(study) ? show(study) : setView("listaExames"));
}
