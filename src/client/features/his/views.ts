import { atom } from "jotai";

/** The views of /his. */
export type ViewName =
  | "welcome"
  | "uploadExames"
  | "listaExames"
  | "laudo"
  | "viewer"
  | "examesLab"
  | "profile"
  | "users"
  | "subscription"
  | "paymentHistory"
  | "support";

const shownView = atom<ViewName>("welcome");

/** While true, leaving the shown view would lose something: going elsewhere only becomes a wish. */
export const holdsViewAtom = atom(false);

/** Where the person wants to go while the shown view is held; that view asks, and answers by `answerWishAtom`. */
export const wishedViewAtom = atom<ViewName | undefined>(undefined);

/** The one view that is shown. Write it to go elsewhere. */
export const viewAtom = atom(
  (get) => get(shownView),
  (get, set, view: ViewName) => {
    if (get(holdsViewAtom) && view !== get(shownView)) set(wishedViewAtom, view);
    else set(shownView, view);
  },
);

/** Goes to the wished view, or stays. */
export const answerWishAtom = atom(null, (get, set, leaves: boolean) => {
  const wished = get(wishedViewAtom);
  set(wishedViewAtom, undefined);
  if (!leaves || !wished) return;
  set(holdsViewAtom, false);
  set(shownView, wished);
});
