import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useAtomValue } from "jotai";
import type { CurrentUser, UserListQuery } from "../../../shared/api/users.ts";
import { CURRENT_USER } from "../../calls/query-keys.ts";
import { useFoundSubject } from "../places/use-found-subject.ts";
import { openAtom, type Subject, subjectAtoms } from "../places/views.ts";
import { usersApi } from "./users-api.ts";

const queryKey = ["users"];

export const USERS_PER_PAGE = 50;
/** A search begins once nothing was typed for so long. */
export const SEARCH_PAUSE_MS = 250;

/** The accounts that a query finds; those of the previous one stay visible while they load. */
export function useUsers(query: UserListQuery, { enabled = true } = {}) {
  return useQuery({
    queryKey: [...queryKey, query],
    enabled,
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => usersApi.list(query, signal),
  });
}

/** After a reload finds the account again that a dialog is about, whichever page it is on. */
export function useFoundUser(subject: Subject<CurrentUser>): void {
  const id = useAtomValue(subject.missingIdAtom);
  const { data } = useQuery({
    queryKey: [...queryKey, "one", id],
    enabled: id !== undefined,
    queryFn: ({ signal }) => usersApi.list({ id }, signal),
  });
  useFoundSubject(subject, data?.rows);
}

/** What a change of an account changes: the accounts, and perhaps the person's own. */
export const USERS_AND_SELF = [queryKey, CURRENT_USER] as const;

/** The accounts whose dialogs are open: edit, clear lost factors, delete, add. */
export const editedUserSubject = subjectAtoms<CurrentUser>("edit");
export const clearedUserSubject = subjectAtoms<CurrentUser>("clear-factors");
export const deletedUserSubject = subjectAtoms<CurrentUser>("delete");
export const isAddingUserAtom = openAtom("add");
