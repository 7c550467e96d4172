import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from "react";

/**
 * Keeps the focus in the tray when what had it goes: its row takes it, or the row that is in its place, or the tray's first button; or
 * the view, once the tray is gone too. A row rather than one of its buttons: the key that was pressed must not press another.
 *
 * @returns what the tray's element takes
 */
export function useTrayFocus(tray: RefObject<HTMLElement | null>) {
  const held = useRef<{ element: Element; row: HTMLElement | null; place: number }>(undefined);
  const rows = () => [...(tray.current?.querySelectorAll<HTMLElement>(".tray-row") ?? [])];
  useLayoutEffect(() => {
    const { current: lost } = held;
    if (!lost) return;
    const left = rows();
    if (lost.element.isConnected) {
      // Rows change places as their uploads go on.
      if (lost.row) lost.place = left.indexOf(lost.row);
      return;
    }
    held.current = undefined;
    if (document.activeElement !== document.body) return;
    const row = left.find((one) => one === lost.row) ?? left[Math.min(lost.place, left.length - 1)];
    (row ?? tray.current?.querySelector("button"))?.focus();
  });
  useLayoutEffect(() => {
    const { current: element } = tray;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      document.getElementById("view")?.focus({ preventScroll: true });
    };
  }, [tray]);
  return {
    onFocus({ target }: FocusEvent) {
      const row = target.closest<HTMLElement>(".tray-row");
      held.current = { element: target, row, place: row ? rows().indexOf(row) : 0 };
    },
    onBlur({ target }: FocusEvent) {
      // A window that is left keeps its focus.
      if (document.activeElement !== target) held.current = undefined;
    },
  };
}
