import { atom } from "jotai";

/** Ids of studies that are being deleted, or whose download is being prepared. */
export const busyStudiesAtom = atom<ReadonlySet<string>>(new Set<string>());

/** Marks a study as busy or no longer busy. */
export const markBusyAtom = atom(null, (get, set, { id, busy }: { id: string; busy: boolean }) => {
  const ids = new Set(get(busyStudiesAtom));
  if (busy) ids.add(id);
  else ids.delete(id);
  set(busyStudiesAtom, ids);
});
