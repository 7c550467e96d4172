import { atom } from "jotai";

/** Exams that this session has sent: the last upload's, and those of uploads that the list has not shown yet. */
export interface NewStudies {
  ids: readonly string[];
  /** Whether the list has brought them into view. */
  isShown: boolean;
}

const MAX_MARKED = 100;

const newStudies = atom<NewStudies>({ ids: [], isShown: true });

/** What the list marks as new. Write the ids of an upload's studies to have the list begin with them. */
export const newStudiesAtom = atom(
  (get) => get(newStudies),
  (get, set, ids: readonly string[]) => {
    const unseen = get(newStudies).isShown ? [] : get(newStudies).ids;
    set(newStudies, { ids: [...new Set([...ids, ...unseen])].slice(0, MAX_MARKED), isShown: false });
  },
);

/** Says that the list has brought the new exams into view. */
export const showNewStudiesAtom = atom(null, (get, set) =>
  set(newStudies, { ...get(newStudies), isShown: true }),
);
