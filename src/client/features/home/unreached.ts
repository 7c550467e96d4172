import { atom, useSetAtom } from "jotai";
import { useEffect, useEffectEvent, useId } from "react";

type Sections = ReadonlyMap<string, () => void>;

const sections = atom<Sections>(new Map());

/** Functions that read again the sections of the home that could not be reached. */
export const unreachedAtom = atom((get) => [...get(sections).values()]);

const changeAtom = atom(null, (get, set, id: string, retry: (() => void) | undefined) => {
  const changed = new Map(get(sections));
  changed.delete(id);
  if (retry) changed.set(id, retry);
  set(sections, changed);
});

/** While `isUnreached`, counts a section among those that the home names in one message. */
export function useUnreached(isUnreached: boolean, retry: () => void): void {
  const id = useId();
  const change = useSetAtom(changeAtom);
  const tryAgain = useEffectEvent(retry);
  useEffect(() => {
    if (!isUnreached) return;
    change(id, () => tryAgain());
    return () => change(id, undefined);
  }, [id, isUnreached, change]);
}
