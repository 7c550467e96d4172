import { type RefObject, useLayoutEffect, useRef } from "react";

/**
 * For a button that its own press may leave with nothing to do: it is disabled then, and its focus would fall to the page's beginning. The
 * place that it stands in gets it (`tabIndex={-1}`), not its neighbour: the key that was pressed must not press another button.
 *
 * @param isDone whether the button is disabled for that reason
 * @returns what the button takes as its ref
 */
export function useFocusWhenDone(isDone: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { current } = button;
    // The focus goes with the next frame only.
    if (isDone && current && document.activeElement === current)
      current.closest<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true });
  }, [isDone]);
  return button;
}
