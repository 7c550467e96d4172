import { useAtomValue } from "jotai";
import { useEffect } from "react";
import { type ViewName, viewAtom } from "./views.ts";

const HIS_PATH = "/his";
/** The one view with an address of its own. */
export const SUBSCRIPTION_PATH = "/his/subscription";

/** The view that the page's address asks for. */
export function addressedView(): ViewName {
  return window.location.pathname === SUBSCRIPTION_PATH ? "subscription" : "welcome";
}

/** Keeps the address at what is shown: a reload comes back to the subscription, and to nothing that was left. */
export function useViewAddress(): void {
  const view = useAtomValue(viewAtom);
  useEffect(() => {
    const path = view === "subscription" ? SUBSCRIPTION_PATH : HIS_PATH;
    if (window.location.pathname !== path) window.history.replaceState(null, "", path);
  }, [view]);
}
