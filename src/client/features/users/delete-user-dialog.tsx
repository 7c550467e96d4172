import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useAtom } from "jotai";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useFoundSubject } from "../places/use-found-subject.ts";
import { deletedUserSubject, refreshUsers, useUsers } from "./use-users.ts";
import { UserQuote } from "./user-quote.tsx";
import { usersApi } from "./users-api.ts";

/** Asks for confirmation and deletes an account with all its data. */
export function DeleteUserDialog() {
  const { t } = useLingui();
  const [user, setUser] = useAtom(deletedUserSubject.valueAtom);
  useFoundSubject(deletedUserSubject, useUsers(true).data);
  const deletion = useDeletion(() => setUser(undefined));
  return (
    <ConfirmDialog
      open={user !== undefined}
      onOpenChange={(open) => {
        if (!open && !deletion.isPending) setUser(undefined);
      }}
      title={t({ id: "users.delete.title", message: "Delete user?" })}
      text={t({
        id: "users.delete.text",
        message:
          "The account and all its exams and reports will be permanently deleted. This action cannot be undone.",
      })}
      confirmLabel={
        deletion.isPending ? (
          <Trans id="action.deleting">Deleting…</Trans>
        ) : (
          <Trans id="action.delete">Delete</Trans>
        )
      }
      onConfirm={() => {
        if (user) deletion.mutate(user);
      }}
      busy={deletion.isPending}
    >
      {user && <UserQuote user={user} />}
    </ConfirmDialog>
  );
}

function useDeletion(onSettled: () => void) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: CurrentUser) => usersApi.remove(id),
    onSuccess: async (_answer, { name }) => {
      await refreshUsers(queryClient);
      showToast({ tone: "ok", title: t({ id: "users.deleted", message: "User deleted" }), text: name });
    },
    onError: (error) => {
      const title = t({ id: "users.deleteFailed", message: "Failed to delete user" });
      showToast({ tone: "bad", title, text: error.message });
    },
    onSettled,
  });
}
