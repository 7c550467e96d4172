import { useSetAtom } from "jotai";
import { useEffect } from "react";
import { useAskBeforeUnload } from "../../ui/hooks/use-ask-before-unload.ts";
import { holdAtom } from "./views.ts";

/**
 * While `holds`, Back and the menu lead nowhere, and the browser asks before the page goes: for what is shown only
 * once and has a button of its own to say that it was kept, and while the server makes it.
 */
export function useStay(holds: boolean): void {
  const hold = useSetAtom(holdAtom);
  useAskBeforeUnload(holds);
  useEffect(() => {
    if (!holds) return;
    hold(true);
    return () => hold(false);
  }, [holds, hold]);
}
