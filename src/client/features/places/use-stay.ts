import { useSetAtom } from "jotai";
import { useEffect } from "react";
import { useAskBeforeUnload } from "../../ui/use-ask-before-unload.ts";
import { holdsViewAtom } from "./views.ts";

/**
 * While `holds`, Back and the menu lead nowhere, and the browser asks before the page goes: for what is shown only
 * once and has a button of its own to say that it was kept.
 */
export function useStay(holds: boolean): void {
  const setHolds = useSetAtom(holdsViewAtom);
  useAskBeforeUnload(holds);
  useEffect(() => {
    if (!holds) return;
    setHolds(true);
    return () => setHolds(false);
  }, [holds, setHolds]);
}
