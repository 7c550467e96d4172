import { useEffect } from "react";

/** While `asks`, the browser asks before the page goes. */
export function useAskBeforeUnload(asks: boolean): void {
  useEffect(() => {
    if (!asks) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [asks]);
}
