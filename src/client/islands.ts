import type { ComponentType } from "react";
import type { IslandName, IslandProps } from "../shared/islands.ts";

type IslandLoaders = { [Name in IslandName]: () => Promise<{ default: ComponentType<IslandProps<Name>> }> };

/** The closed list of components that a page may hydrate, each in a chunk of its own. */
export const islandLoaders: IslandLoaders = {
  auth: () => import("./features/auth/auth-screen.tsx"),
  help: () => import("./features/help/help-screen.tsx"),
  his: () => import("./features/frame/his-screen.tsx"),
  verify: () => import("./features/verification/verify-screen.tsx"),
  delivery: () => import("./features/delivery/delivery-screen.tsx"),
  visit: () => import("./features/visit/visit-screen.tsx"),
};
