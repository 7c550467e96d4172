import { useSetAtom } from "jotai";
import { ApiError } from "../../calls/api.ts";
import { awaitHereAtom, viewAtom } from "../places/views.ts";
import { studiesApi } from "../studies/studies-api.ts";
import { isViewable } from "../studies/study-text.ts";
import { shownStudyAtom } from "./shown-study.ts";

/** Returns the function that opens what an upload or a delivery brought: the images of its only exam, else the list. */
export function useOpenExam(): (brought: { studies: readonly { id: string }[] }) => Promise<void> {
  const setView = useSetAtom(viewAtom);
  const show = useSetAtom(shownStudyAtom);
  const begin = useSetAtom(awaitHereAtom);
  return async ({ studies }) => {
    const [only] = studies;
    const isStillHere = begin();
    const study = only && studies.length === 1 ? await readStudy(only.id) : undefined;
    if (!isStillHere()) return;
    if (study && isViewable(study)) show(study);
    else setView("listaExames");
  };
}

/** Undefined if it can't be read now. */
async function readStudy(id: string) {
  try {
    return await studiesApi.read(id);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
