import { useStore } from "jotai";
import { useState } from "react";
import { placeAtom } from "./views.ts";

/**
 * For what is mounted as often as it is opened, and closes when an answer comes. Returns `close` for that moment: once the person has
 * left by Back, it does nothing, because something else may be open by then.
 */
export function useOwnClose(close: () => void): () => void {
  const store = useStore();
  // Each arrival is a place of its own, at the same dialog too.
  const [opened] = useState(() => store.get(placeAtom));
  return () => {
    if (store.get(placeAtom) === opened) close();
  };
}
