import { useSetAtom } from "jotai";
import { useEffect } from "react";
import { viewAtom } from "./views.ts";

/** Sends the person back to the start from a view that is not for them. */
export function useHomeIf(isNotForThem: boolean): void {
  const setView = useSetAtom(viewAtom);
  useEffect(() => {
    if (isNotForThem) setView("welcome");
  }, [isNotForThem, setView]);
}
