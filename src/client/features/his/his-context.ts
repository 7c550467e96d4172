import { createContext, useContext } from "react";
import type { CurrentUser } from "../../../shared/api/users.ts";
import type { IslandProps } from "../../../shared/islands.ts";

export interface His extends IslandProps<"his"> {
  user: CurrentUser;
  /** Whether uploading and the exam list are open to this user now; admins always. */
  isActive: boolean;
}

const HisContext = createContext<His | undefined>(undefined);
export const HisProvider = HisContext.Provider;

/** Who is signed in and what the server said of itself. Only below the frame of /his. */
export function useHis(): His {
  const his = useContext(HisContext);
  if (!his) throw new Error("useHis outside of /his");
  return his;
}

/** Admins always; others until `expiresAt`, where null is never. */
export function hasActiveSubscription({ role, expiresAt }: CurrentUser, now: Date): boolean {
  return role === "admin" || expiresAt === null || new Date(expiresAt) > now;
}
