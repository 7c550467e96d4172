import { useMemo, useSyncExternalStore } from "react";

/** Matches the phone layout, as in the styles. In em, so that larger text of the browser gets the layout that has room for it. */
export const PHONE = "(max-width: 47.5em)";

/** Where nothing can be dropped. */
export const TOUCH = "(pointer: coarse)";

export function useMediaQuery(query: string): boolean {
  const { subscribe, matches } = useMemo(() => watch(query), [query]);
  return useSyncExternalStore(subscribe, matches);
}

/** Asked once: a component that is drawn often would begin a list, and listen anew, each time. */
function watch(query: string) {
  const list = window.matchMedia(query);
  return {
    matches: () => list.matches,
    subscribe(listener: () => void) {
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
  };
}
