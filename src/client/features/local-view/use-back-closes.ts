import { useEffect, useEffectEvent, useRef } from "react";

/**
 * Makes what is open a step of the browser's history, so that Back closes it. Returns what makes a function that leaves the step first,
 * by itself or to do something.
 */
export function useBackCloses(onClose: () => void): (then?: () => void) => () => void {
  const close = useEffectEvent(onClose);
  const after = useRef<() => void>(undefined);
  useEffect(() => {
    history.pushState({ ...history.state, local: true }, "");
    const listen = new AbortController();
    addEventListener(
      "popstate",
      () => {
        const then = after.current;
        if (then) then();
        else close();
      },
      { signal: listen.signal },
    );
    return () => listen.abort();
  }, []);
  return (then) => () => {
    after.current = then;
    history.back();
  };
}
