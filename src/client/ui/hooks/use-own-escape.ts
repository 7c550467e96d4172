import { useEffect, useEffectEvent, useRef } from "react";

/**
 * For a question asked within a list, in a dialog or not: Escape answers it and reaches nothing around it. Elsewhere on the page the key
 * keeps what it does. Returns the ref of the question.
 */
export function useOwnEscape<Question extends HTMLElement>(leave: () => void) {
  const question = useRef<Question>(null);
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.isComposing || !isBeside(question.current)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) leave();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    // Dialogs listen while the key is on its way down, too, from the document on.
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, []);
  return question;
}

/** Whether the focus is in the question, or on what it stands in: a control that is disabled meanwhile gives it up. */
function isBeside(question: HTMLElement | null): boolean {
  const { activeElement } = document;
  if (!question || !activeElement) return false;
  return question.contains(activeElement) || activeElement.contains(question);
}
