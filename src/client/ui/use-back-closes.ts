import { useEffect, useEffectEvent } from "react";

/** Makes what is open a step of the history of a page without places. Returns the way back, which closes it. */
export function useBackCloses(onClose: () => void): () => void {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (!isOpenStep(window.history.state)) window.history.pushState({ isOpen: true }, "");
    const listen = () => close();
    window.addEventListener("popstate", listen);
    return () => window.removeEventListener("popstate", listen);
  }, []);
  return () => window.history.back();
}

function isOpenStep(state: unknown): boolean {
  return typeof state === "object" && state !== null && "isOpen" in state;
}
