import { useAtom } from "jotai";
import { useEffect, useLayoutEffect, useRef } from "react";
import { findOpener, leftByAtom } from "../studies/list-openers.ts";
import { listScrollAtom } from "./list-place.ts";

/** Once the list has its rows again: goes to where it was left, and gives the focus to what it was left by. */
export function useListReturn(hasRows: boolean): void {
  const [scrollY, setScrollY] = useAtom(listScrollAtom);
  const [leftBy, setLeftBy] = useAtom(leftByAtom);
  const isBack = useRef(false);

  // While the page still has its height.
  useLayoutEffect(() => () => setScrollY(window.scrollY), [setScrollY]);

  useEffect(() => {
    if (!hasRows || isBack.current) return;
    // After the frame of the view, which begins at its top.
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
