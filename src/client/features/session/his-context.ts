import { createContext, useContext } from "react";
import type { CurrentUser } from "../../../shared/api/users.ts";
import type { IslandProps } from "../../../shared/islands.ts";

export interface His extends IslandProps<"his"> {
  user: CurrentUser;
  /** Whether uploading and keeping exams is open to this user now; admins always. */
  isActive: boolean;
}

const HisContext = createContext<His | undefined>(undefined);
export const HisProvider = HisContext.Provider;

/** The signed-in user, and what the server said about itself. Works only inside the frame of /his. */
export function useHis(): His {
  const his = useContext(HisContext);
  if (!his) throw new Error("useHis outside of /his");
  return his;
}

/** Doctors and labs may look at what was shared with them without a subscription. */
export function maySeeExams({ user, isActive }: Pick<His, "user" | "isActive">): boolean {
  return isActive || user.role === "doctor" || user.role === "lab";
}

/** Doctors and labs get their subscription from an administrator; an admin needs none. */
export function maySubscribe({ role }: Pick<CurrentUser, "role">): boolean {
  return role === "user";
}
