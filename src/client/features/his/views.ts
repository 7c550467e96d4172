import { atom } from "jotai";
import { type ComponentType, lazy } from "react";

/** The views of /his, each in a chunk of its own. */
const loaders = {
  welcome: () => import("./welcome-view.tsx"),
  uploadExames: () => import("../upload/upload-view.tsx"),
  listaExames: () => import("../studies/study-list-view.tsx"),
} satisfies Record<string, () => Promise<{ default: ComponentType }>>;

export type ViewName = keyof typeof loaders;

export const views: Record<ViewName, ComponentType> = {
  welcome: lazy(loaders.welcome),
  uploadExames: lazy(loaders.uploadExames),
  listaExames: lazy(loaders.listaExames),
};

/** The one view that is shown. Write it to go elsewhere. */
export const viewAtom = atom<ViewName>("welcome");
