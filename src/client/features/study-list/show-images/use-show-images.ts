import { useSetAtom, useStore } from "jotai";
import type { Study } from "../../../../shared/api/studies.ts";
import { viewerChoiceAtom } from "../../../preferences.ts";
import { useHis } from "../../session/his-context.ts";
import { beginStudy } from "../../viewer/study-source.ts";
import { firstViewerOf, type OpenedSeries, opensDocument } from "../../viewer/viewer-choice.tsx";
import { viewedSeriesAtom, viewedStudyAtom } from "../actions/list-actions.ts";

/** Returns the function that shows a study's images. Our own viewer loads the first one while it is being drawn. */
export function useShowImages(): (study: Study, beginWith?: OpenedSeries) => void {
  const { user } = useHis();
  const store = useStore();
  const setViewed = useSetAtom(viewedStudyAtom);
  const setSeries = useSetAtom(viewedSeriesAtom);
  return (study, beginWith) => {
    const isOurs = opensDocument(study, beginWith) || firstViewerOf(store.get(viewerChoiceAtom)) === "visor";
    if (isOurs) beginStudy(study, user.id, beginWith?.seriesInstanceUID);
    setSeries(beginWith);
    setViewed(study);
  };
}
