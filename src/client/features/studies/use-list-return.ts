import { useAtom } from "jotai";
import { useEffect, useLayoutEffect, useRef } from "react";
import { leftByAtom, listScrollAtom, type Opener } from "./list-place.ts";

const ATTRIBUTES = { viewer: "data-opens", report: "data-opens-report" } as const satisfies Record<
  Opener["opens"],
  string
>;

/** Marks the button that opens something of a study, so that the focus finds it again. */
export const openerOf = ({ studyId, opens }: Opener) => ({ [ATTRIBUTES[opens]]: studyId });

function findOpener({ studyId, opens }: Opener): HTMLElement | null {
  return document.querySelector(`[${ATTRIBUTES[opens]}="${CSS.escape(studyId)}"]`);
}

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
