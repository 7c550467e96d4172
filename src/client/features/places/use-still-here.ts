import { atom, useStore } from "jotai";
import { viewAtom } from "./views.ts";

/** What the person asked for last that goes to another view once its answer has come. */
const lastAskedAtom = atom({});

/**
 * For what goes to another view once an answer has come. Returns the function that begins such a wait, and that returns whether the
 * person is still in the same view and asked for nothing of the kind since: an answer that comes late takes nobody away.
 */
export function useStillHere(): () => () => boolean {
  const store = useStore();
  return () => {
    const view = store.get(viewAtom);
    const asked = {};
    store.set(lastAskedAtom, asked);
    return () => store.get(viewAtom) === view && store.get(lastAskedAtom) === asked;
  };
}
