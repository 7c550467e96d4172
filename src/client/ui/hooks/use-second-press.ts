import { useLayoutEffect } from "react";

/** As long as systems wait at most for the second press of a double one. */
const DOUBLE_PRESS_MS = 500;

/**
 * When what is open goes, the second press of a double one on its button falls on what stands below. It does nothing there: twice
 * on Done must not make another link.
 */
export function useSecondPress(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return;
    const page = document;
    return () => {
      // Its own, so that it lasts its time although another one ends.
      const stop = (event: MouseEvent) => stopSecond(event);
      page.addEventListener("click", stop, { capture: true });
      setTimeout(() => page.removeEventListener("click", stop, { capture: true }), DOUBLE_PRESS_MS);
    };
  }, [isOpen]);
}

function stopSecond(event: MouseEvent): void {
  if (event.detail < 2) return;
  event.preventDefault();
  event.stopPropagation();
}
