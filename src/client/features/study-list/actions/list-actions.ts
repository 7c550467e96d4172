import { atom } from "jotai";
import type { Study } from "../../../../shared/api/studies.ts";
import { subjectAtoms } from "../../places/views.ts";
import type { OpenedSeries } from "../../viewer/viewer-choice.tsx";

/** The study whose deletion is being asked about. */
export const deletionSubject = subjectAtoms<Study>("delete");
export const deletionAskedAtom = deletionSubject.valueAtom;

/** The study that is being renamed. */
export const renamedSubject = subjectAtoms<Study>("rename");

/** The study that is open in the viewer. */
export const viewedSubject = subjectAtoms<Study>("images");
export const viewedStudyAtom = viewedSubject.valueAtom;

/** The series that the open study was opened with; undefined if the whole study was. */
export const viewedSeriesAtom = atom<OpenedSeries | undefined>(undefined);
