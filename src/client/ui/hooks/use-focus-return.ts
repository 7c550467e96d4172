import { type RefObject, useRef } from "react";
import { focusFirstField } from "./first-field.ts";

/** What a row takes that may be removed by a dialog which one of its buttons opens. */
export const removableRow = { tabIndex: -1, "data-removable": true } as const;

/**
 * Returns the focus to the element that opened the dialog. Radix does so only for its own triggers, which we do not use. If that was in a
 * `removableRow` which is gone, the next row gets the focus, else the one before, else the heading of the section. A row rather than one
 * of its buttons: the key that was pressed must not press another.
 */
export function useFocusReturn(returnTo?: RefObject<Element | null>) {
  const opener = useRef<Element>(null);
  const besideIt = useRef<(Element | null | undefined)[]>([]);
  return {
    onOpenAutoFocus(event: Event) {
      opener.current = document.activeElement;
      const row = opener.current?.closest("[data-removable]");
      const heading = row?.closest("section")?.querySelector("h2");
      besideIt.current = [row?.nextElementSibling, row?.previousElementSibling, heading];
      const { currentTarget: content } = event;
      const body = content instanceof HTMLElement && content.querySelector(".dialog-body");
      // Else the first control gets it, which may be a field.
      if (body && focusFirstField(body, content)) event.preventDefault();
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      // An entry of a menu is gone by then; what had the focus after it is the menu's button.
      const back = [returnTo?.current, opener.current].find(isThere);
      if (back) return back.focus();
      // What the dialog was about is gone, and its button too.
      if (document.activeElement !== document.body) return;
      const beside = besideIt.current.find((element) => element?.isConnected);
      if (beside instanceof HTMLElement) return beside.focus();
      document.getElementById("view")?.focus({ preventScroll: true });
    },
  };
}

/** The body has the focus when nothing has it: as after a dialog that gave way to another. */
function isThere(element: Element | null | undefined): element is HTMLElement {
  return element instanceof HTMLElement && element.isConnected && element !== document.body;
}
