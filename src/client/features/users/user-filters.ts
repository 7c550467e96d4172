import type { Role, UserListQuery } from "../../../shared/api/users.ts";

export interface UserFilters {
  /** Part of a name or an e-mail; case and accents don't matter. */
  text: string;
  role: Role | "all";
  status: "all" | "authorized" | "unauthorized";
}

export const noFilters: UserFilters = { text: "", role: "all", status: "all" };

/** The filters as the server takes them. */
export function filterQuery({ text, role, status }: UserFilters): UserListQuery {
  return {
    ...(text.trim() !== "" && { search: text }),
    ...(role !== "all" && { role }),
    ...(status !== "all" && { status }),
  };
}
