import type { CurrentUser, Role } from "../../../shared/api/users.ts";
import { fold } from "../../../shared/fold.ts";

export interface UserFilters {
  /** Part of a name or an e-mail; case and accents don't matter. */
  text: string;
  role: Role | "all";
  status: "all" | "authorized" | "unauthorized";
}

export const noFilters: UserFilters = { text: "", role: "all", status: "all" };

export function filterUsers(users: readonly CurrentUser[], filters: UserFilters): CurrentUser[] {
  const text = fold(filters.text);
  return users.filter(({ name, email, role, isAuthorized }) => {
    if (filters.role !== "all" && role !== filters.role) return false;
    if (filters.status !== "all" && isAuthorized !== (filters.status === "authorized")) return false;
    return text === "" || fold(name).includes(text) || fold(email).includes(text);
  });
}
