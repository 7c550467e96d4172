import { type RefObject, useLayoutEffect, useRef } from "react";

/** What had the focus when something opened: a dialog that gives way to another hands the focus back there at the end. */
export function useOpener(isOpen: boolean): RefObject<Element | null> {
  const opener = useRef<Element>(null);
  useLayoutEffect(() => {
    if (isOpen) opener.current = document.activeElement;
  }, [isOpen]);
  return opener;
}
