import { type RefObject, useEffect, useRef } from "react";

/**
 * Hands the focus to what holds a page's steps when one gives way to another: what had it is gone with the step that it was in.
 *
 * @param step "opening" is what a page begins with; nobody can have used that
 */
export function useStepFocus(step: string): RefObject<HTMLDivElement | null> {
  const page = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== "opening" && shown.current !== step) page.current?.focus({ preventScroll: true });
    shown.current = step;
  }, [step]);
  return page;
}
