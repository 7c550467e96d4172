import { useEffect, useEffectEvent, useRef } from "react";

/**
 * Radix gives Escape to its newest layer alone, and a toast is one: the key would only dismiss the message, and the dialog beneath
 * it stay. Closes the dialog on top then, too. Returns the ref of its content.
 */
export function useEscapePastToast(close: () => void) {
  const content = useRef<HTMLDivElement>(null);
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.repeat || event.isComposing || event.defaultPrevented) return;
    if (!content.current || content.current !== topLayer()) return;
    // The dialog is gone before the next listener runs, which would close what is beneath.
    event.preventDefault();
    close();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  return content;
}

const LAYERS = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";

/** Each layer is drawn at the end of the page when it opens. A list that is open in a dialog keeps the dialog. */
function topLayer(): Element | undefined {
  return [...document.querySelectorAll(LAYERS)].at(-1);
}
