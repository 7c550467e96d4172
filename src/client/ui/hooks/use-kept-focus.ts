import { type FocusEvent, type RefObject, useEffect, useRef } from "react";

/**
 * Gives the focus to a place when what had it within goes, with the step or the row that it was in; left alone, it falls to the page's
 * beginning. The place is focusable (`tabIndex={-1}`), so that Tab leads to its first control.
 *
 * @returns what the place's element takes
 */
export function useKeptFocus(place: RefObject<HTMLElement | null>) {
  const held = useRef<Element>(undefined);
  useEffect(() => {
    const { current: element } = place;
    if (!element) return;
    const observer = new MutationObserver(() => {
      if (!held.current || held.current.isConnected) return;
      held.current = undefined;
      if (document.activeElement === document.body) element.focus({ preventScroll: true });
    });
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [place]);
  return {
    tabIndex: -1,
    onFocus({ target, currentTarget }: FocusEvent) {
      // React tells of dialogs too, which are elsewhere in the page and return the focus themselves.
      if (currentTarget.contains(target)) held.current = target;
    },
    onBlur({ target }: FocusEvent) {
      // A window that is left keeps its focus.
      if (document.activeElement !== target) held.current = undefined;
    },
  };
}
