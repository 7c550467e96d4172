import { type RefObject, useEffect } from "react";

/** Gives the first button of the place the focus once what was open in it is closed: that took the focus with it. */
export function useFocusBack(place: RefObject<HTMLElement | null>, isOpen: boolean): void {
  useEffect(
    () => (isOpen ? () => place.current?.querySelector("button")?.focus() : undefined),
    [place, isOpen],
  );
}
