import { atom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { subjectAtoms } from "../his/views.ts";

/** The study whose deletion is being asked about. */
export const deletionSubject = subjectAtoms<Study>("delete");
export const deletionAskedAtom = deletionSubject.valueAtom;

/** Ids of studies that are being deleted, or whose download is being prepared. */
export const busyStudiesAtom = atom<ReadonlySet<string>>(new Set<string>());

/** Marks a study busy, or no longer. */
export const markBusyAtom = atom(null, (get, set, { id, busy }: { id: string; busy: boolean }) => {
  const ids = new Set(get(busyStudiesAtom));
  if (busy) ids.add(id);
  else ids.delete(id);
  set(busyStudiesAtom, ids);
});

/** The study that is open in the viewer. */
export const viewedSubject = subjectAtoms<Study>("images");
export const viewedStudyAtom = viewedSubject.valueAtom;
