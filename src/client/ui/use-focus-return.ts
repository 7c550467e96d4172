import { type RefObject, useRef } from "react";
import { focusFirstField } from "./first-field.ts";

/** Returns the focus to the element that opened the dialog. Radix does so only for its own triggers, which we do not use. */
export function useFocusReturn(returnTo?: RefObject<Element | null>) {
  const opener = useRef<Element>(null);
  return {
    onOpenAutoFocus(event: Event) {
      opener.current = document.activeElement;
      const { currentTarget: content } = event;
      const body = content instanceof HTMLElement && content.querySelector(".dialog-body");
      // Else the first control gets it, which may be a field.
      if (body && focusFirstField(body, content)) event.preventDefault();
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      // An entry of a menu is gone by then; what had the focus after it is the menu's button.
      const { current } = returnTo?.current?.isConnected ? returnTo : opener;
      if (current instanceof HTMLElement && current.isConnected) current.focus();
      // What the dialog was about is gone, and its button too.
      else if (document.activeElement === document.body)
        document.getElementById("view")?.focus({ preventScroll: true });
    },
  };
}
