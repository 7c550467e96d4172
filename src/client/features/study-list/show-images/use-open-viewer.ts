import type { Study } from "../../../../shared/api/studies.ts";
import { findOpener } from "../../studies/list-openers.ts";
import { isViewable } from "../../studies/study-text.ts";
import type { OpenedSeries } from "../../viewer/viewer-choice.tsx";
import { useShowImages } from "./use-show-images.ts";

/**
 * Returns the function that opens a study in the viewer, with one of its series if it is given that; it does nothing while
 * the study can't be viewed. The study's button gets the focus, since the viewer returns the focus to the element that had it.
 */
export function useOpenViewer(): (study: Study, beginWith?: OpenedSeries) => void {
  const showImages = useShowImages();
  return (study, beginWith) => {
    if (!isViewable(study)) return;
    findOpener({ studyId: study.id, opens: "viewer" })?.focus();
    showImages(study, beginWith);
  };
}
