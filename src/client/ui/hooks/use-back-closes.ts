import { useEffect, useEffectEvent, useRef } from "react";
import { goBackFromPlace } from "./use-inner-step.ts";

/** Makes what is open a step of the history of a page without places. Returns the way back, which closes it. */
export function useBackCloses(onClose: () => void): () => void {
  const close = useEffectEvent(onClose);
  const isLeaving = useRef(false);
  useEffect(() => {
    if (!isOpenStep(window.history.state)) window.history.pushState({ isOpen: true }, "");
    const listen = () => {
      isLeaving.current = false;
      if (!isOpenStep(window.history.state)) close();
    };
    window.addEventListener("popstate", listen);
    return () => window.removeEventListener("popstate", listen);
  }, []);
  return () => {
    // The step is left a while after it is asked for; asked for twice, the page would be left too.
    if (isLeaving.current) return;
    isLeaving.current = true;
    goBackFromPlace();
  };
}

function isOpenStep(state: unknown): boolean {
  return typeof state === "object" && state !== null && "isOpen" in state;
}
