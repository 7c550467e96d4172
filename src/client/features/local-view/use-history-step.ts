import { useEffect, useEffectEvent, useRef } from "react";
import { goBackFromPlace } from "../../ui/hooks/use-inner-step.ts";

/**
 * Makes what is open a step of the browser's history, so that Back closes it. Returns what makes a function that leaves the step first,
 * by itself or to do something.
 */
export function useHistoryStep(onClose: () => void): (then?: () => void) => () => void {
  const close = useEffectEvent(onClose);
  const after = useRef<() => void>(undefined);
  const isLeaving = useRef(false);
  useEffect(() => {
    const opening = Date.now();
    history.pushState({ ...history.state, local: opening }, "");
    const listen = new AbortController();
    addEventListener(
      "popstate",
      () => {
        if (isWithin(opening)) {
          isLeaving.current = false;
          return;
        }
        const then = after.current;
        if (then) then();
        else close();
      },
      { signal: listen.signal },
    );
    return () => listen.abort();
  }, []);
  return (then) => () => {
    // The step is left a while after it is asked for; asked for twice, the page would be left too.
    if (isLeaving.current) return;
    isLeaving.current = true;
    after.current = then;
    goBackFromPlace();
  };
}

/** Whether the browser came back to this opening from a step within it. */
function isWithin(opening: number): boolean {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null && "local" in state && state.local === opening;
}
