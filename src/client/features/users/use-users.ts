import { useQuery } from "@tanstack/react-query";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { CURRENT_USER } from "../../query-keys.ts";
import { openAtom, subjectAtoms } from "../places/views.ts";
import { usersApi } from "./users-api.ts";

const queryKey = ["users"];

/** All accounts, read again each time the view is opened. */
export function useUsers(enabled: boolean) {
  return useQuery({ queryKey, enabled, staleTime: 0, queryFn: ({ signal }) => usersApi.list(signal) });
}

/** What a change of an account changes: the accounts, and perhaps the person's own. */
export const USERS_AND_SELF = [queryKey, CURRENT_USER] as const;

/** The accounts whose dialogs are open: edit, clear lost factors, delete, add. */
export const editedUserSubject = subjectAtoms<CurrentUser>("edit");
export const clearedUserSubject = subjectAtoms<CurrentUser>("clear-factors");
export const deletedUserSubject = subjectAtoms<CurrentUser>("delete");
export const isAddingUserAtom = openAtom("add");
