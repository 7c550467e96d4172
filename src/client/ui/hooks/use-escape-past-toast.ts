import { useEffect, useEffectEvent, useReducer } from "react";
import { flushSync } from "react-dom";

/**
 * Radix gives Escape to its newest layer alone, and a toast is one: the key would only dismiss the message, and the dialog, menu or
 * list beneath it stay. Ends the toast before the key arrives there, so that it does what it does without one.
 */
export function useEscapePastToast(isShown: boolean, end: () => void): void {
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.repeat || event.isComposing || isInToast(event.target)) return;
    flushSync(end);
    // The layers learn that one is gone in an update of less priority, which goes along with one of this priority.
    flushSync(redraw);
  });
  useEffect(() => {
    if (!isShown) return;
    const listen = (event: KeyboardEvent) => press(event);
    // Before the document, where the layers listen.
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, [isShown]);
}

/** There the key is about the toast alone. */
function isInToast(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(".toast-place") !== null;
}
