import { useAtomValue, useSetAtom } from "jotai";
import { useEffect } from "react";
import { answerWishAtom, holdsViewAtom, wishedPlaceAtom } from "./views.ts";

/** While `holds`, the browser asks before the page goes, and going to another view becomes a wish that waits for an answer. */
export function useLeaveGuard(holds: boolean) {
  const setHolds = useSetAtom(holdsViewAtom);
  const answer = useSetAtom(answerWishAtom);
  const isWished = useAtomValue(wishedPlaceAtom) !== undefined;

  useEffect(() => {
    if (!holds) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    setHolds(true);
    return () => {
      window.removeEventListener("beforeunload", ask);
      setHolds(false);
    };
  }, [holds, setHolds]);

  // What was being waited for is over: the wish can be granted, or there is nothing left to ask.
  useEffect(() => {
    if (!holds && isWished) answer(false);
  }, [holds, isWished, answer]);

  return { asksToLeave: holds && isWished, stay: () => answer(false), leave: () => answer(true) };
}

/**
 * While `holds`, Back and the menu lead nowhere, and the browser asks before the page goes: for what is shown only
 * once and has a button of its own to say that it was kept.
 */
export function useStay(holds: boolean): void {
  const { asksToLeave, stay } = useLeaveGuard(holds);
  useEffect(() => {
    if (asksToLeave) stay();
  }, [asksToLeave, stay]);
}
