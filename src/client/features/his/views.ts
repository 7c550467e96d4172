import { atom } from "jotai";
import { type ComponentType, lazy } from "react";

/** The views of /his, each in a chunk of its own. */
const loaders = {
  welcome: () => import("./welcome-view.tsx"),
  uploadExames: () => import("../upload/upload-view.tsx"),
  listaExames: () => import("../studies/study-list-view.tsx"),
  laudo: () => import("../reports/report-view.tsx"),
  viewer: () => import("../viewer/viewer-view.tsx"),
  examesLab: () => import("../labs/labs-view.tsx"),
  profile: () => import("../profile/profile-view.tsx"),
  users: () => import("../users/users-view.tsx"),
  subscription: () => import("../subscriptions/subscription-view.tsx"),
  paymentHistory: () => import("../payments/payment-history-view.tsx"),
  support: () => import("../support/support-view.tsx"),
} satisfies Record<string, () => Promise<{ default: ComponentType }>>;

export type ViewName = keyof typeof loaders;

export const views: Record<ViewName, ComponentType> = {
  welcome: lazy(loaders.welcome),
  uploadExames: lazy(loaders.uploadExames),
  listaExames: lazy(loaders.listaExames),
  laudo: lazy(loaders.laudo),
  viewer: lazy(loaders.viewer),
  examesLab: lazy(loaders.examesLab),
  profile: lazy(loaders.profile),
  users: lazy(loaders.users),
  subscription: lazy(loaders.subscription),
  paymentHistory: lazy(loaders.paymentHistory),
  support: lazy(loaders.support),
};

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
