import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useAtom } from "jotai";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { deletedUserSubject, USERS_AND_SELF, useFoundUser } from "./use-users.ts";
import { UserQuote } from "./user-quote.tsx";
import { usersApi } from "./users-api.ts";

/** Asks for confirmation and deletes an account with all its data. */
export function DeleteUserDialog() {
  const [user, setUser] = useAtom(deletedUserSubject.valueAtom);
  useFoundUser(deletedUserSubject);
  return user ? <Question key={user.id} user={user} onClose={() => setUser(undefined)} /> : null;
}

function Question({ user, onClose }: { user: CurrentUser; onClose: () => void }) {
  const { t } = useLingui();
  const deletion = useDeletion(useOwnClose(onClose));
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open && !deletion.isPending) onClose();
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
      onConfirm={() => deletion.mutate(user)}
      busy={deletion.isPending}
    >
      <UserQuote user={user} />
    </ConfirmDialog>
  );
}

function useDeletion(onSettled: () => void) {
  const { t } = useLingui();
  return useMutation({
    meta: { changes: USERS_AND_SELF },
    mutationFn: ({ id }: CurrentUser) => usersApi.remove(id),
    onSuccess: (_answer, { name }) =>
      showToast({ tone: "ok", title: t({ id: "users.deleted", message: "User deleted" }), text: name }),
    onError: (error) => {
      const title = t({ id: "users.deleteFailed", message: "Failed to delete user" });
      showToast({ tone: "bad", title, text: error.message });
    },
    onSettled,
  });
}
