import { type RefObject, useEffect, useRef } from "react";

/** Gives the first button of the place the focus once what was open in it is closed: that took the focus with it. */
export function useFocusBack(place: RefObject<HTMLElement | null>, isOpen: boolean): void {
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) place.current?.querySelector("button")?.focus();
    wasOpen.current = isOpen;
  }, [place, isOpen]);
}
