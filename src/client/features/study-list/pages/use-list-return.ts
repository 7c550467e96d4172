import { useAtom } from "jotai";
import { useEffect, useLayoutEffect, useRef } from "react";
import { findOpener, leftByAtom } from "../../studies/list-openers.ts";
import { listScrollAtom } from "./list-place.ts";

/** Restores the list's scroll position and focus once its rows are loaded again. */
export function useListReturn(hasRows: boolean): void {
  const [scrollY, setScrollY] = useAtom(listScrollAtom);
  const [leftBy, setLeftBy] = useAtom(leftByAtom);
  const isBack = useRef(false);

  // Read while the page still has its height.
  useLayoutEffect(() => () => setScrollY(window.scrollY), [setScrollY]);

  useEffect(() => {
    if (!hasRows || isBack.current) return;
    // Runs after the frame in which the view scrolls to its top.
    const frame = requestAnimationFrame(() => {
      isBack.current = true;
      if (scrollY > 0) window.scrollTo(0, scrollY);
      if (!leftBy) return;
      findOpener(leftBy)?.focus({ preventScroll: true });
      setLeftBy(undefined);
    });
    return () => cancelAnimationFrame(frame);
  }, [hasRows, scrollY, leftBy, setLeftBy]);
}
