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
      page.addEventListener("click", stopSecond, { capture: true });
      setTimeout(() => page.removeEventListener("click", stopSecond, { capture: true }), DOUBLE_PRESS_MS);
    };
  }, [isOpen]);
}

function stopSecond(event: MouseEvent): void {
  if (event.detail < 2) return;
  event.preventDefault();
  event.stopPropagation();
}
