import { useSetAtom } from "jotai";
import type { ReactNode } from "react";
import { type ViewName, viewAtom } from "../places/views.ts";

/** Leads to the view that has the whole of what a panel shows. */
export function ViewLink({ view, children }: { view: ViewName; children: ReactNode }) {
  const setView = useSetAtom(viewAtom);
  return (
    <button type="button" className="link" onClick={() => setView(view)}>
      {children}
    </button>
  );
}
