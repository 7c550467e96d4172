import { atom } from "jotai";

/** A button of a study's row in the list, named by what it opens. */
export interface Opener {
  studyId: string;
  opens: "viewer" | "report";
}

/** The button that last led from the list to a view of that study. */
export const leftByAtom = atom<Opener | undefined>(undefined);

const ATTRIBUTES = { viewer: "data-opens", report: "data-opens-report" } as const satisfies Record<
  Opener["opens"],
  string
>;

/** Marks the button that opens something of a study, so that the focus can return to it. */
export const openerOf = ({ studyId, opens }: Opener) => ({ [ATTRIBUTES[opens]]: studyId });

/** The button that `openerOf` marked, if the list shows it now. */
export function findOpener({ studyId, opens }: Opener): HTMLElement | null {
  return document.querySelector(`[${ATTRIBUTES[opens]}="${CSS.escape(studyId)}"]`);
}
