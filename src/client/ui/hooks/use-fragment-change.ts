import { useEffect, useEffectEvent } from "react";

/** Calls back when the page's address gets another fragment, as by an address that is pasted anew: the browser loads nothing then. */
export function useFragmentChange(onChange: () => void): void {
  const change = useEffectEvent(onChange);
  useEffect(() => {
    const listen = () => change();
    window.addEventListener("hashchange", listen);
    return () => window.removeEventListener("hashchange", listen);
  }, []);
}
