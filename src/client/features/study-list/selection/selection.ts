import { atom } from "jotai";
import { MAX_STUDIES_OF_DOWNLOAD } from "../../../../shared/api/downloads.ts";
import type { Study } from "../../../../shared/api/studies.ts";
import { dialogIdAtom } from "../../places/views.ts";

/** The most exams for one action. */
export const MAX_SELECTED = MAX_STUDIES_OF_DOWNLOAD;

const chosen = atom<ReadonlyMap<string, Study> | undefined>(undefined);

/** The exams chosen for one action on all of them, by id, on whichever page they are; undefined while nobody chooses. */
export const selectionAtom = atom((get) => get(chosen));

export const startSelectingAtom = atom(null, (_get, set) => set(chosen, new Map()));
export const stopSelectingAtom = atom(null, (_get, set) => set(chosen, undefined));

/** Chooses exams, or takes them out again; those above the limit are not chosen. Does nothing while nobody chooses. */
export const selectAtom = atom(
  null,
  (get, set, { studies, isSelected }: { studies: readonly Study[]; isSelected: boolean }) => {
    const before = get(chosen);
    if (!before) return;
    const next = new Map(before);
    for (const study of studies) {
      if (!isSelected) next.delete(study.id);
      else if (next.size < MAX_SELECTED) next.set(study.id, study);
    }
    set(chosen, next);
  },
);

/** What is being asked about all chosen exams. */
export const bulkActions = ["download", "share", "delete"] as const;
export type BulkAction = (typeof bulkActions)[number];
export const bulkAskedAtom = dialogIdAtom("selected");
