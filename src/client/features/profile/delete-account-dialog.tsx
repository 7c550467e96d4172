import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSetAtom } from "jotai";
import { useState } from "react";
import { actSurely } from "../../calls/may-be-done.ts";
import { endSession } from "../../session.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { isSessionOver } from "../session/is-session-over.ts";
import { knownEndAtom } from "../session/known-end.ts";
import { profileApi } from "./profile-api.ts";

/** Asks for the password before the account is deleted with all its data. */
export function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [password, setPassword] = useState("");
  const queryClient = useQueryClient();
  const setKnownEnd = useSetAtom(knownEndAtom);
  const deletion = useMutation({
    // The server no longer knows a session of an account that is deleted.
    mutationFn: () => actSurely(() => profileApi.deleteAccount({ password }), isSessionOver),
    onSuccess: () => {
      queryClient.clear();
      setKnownEnd("deleted");
      endSession("logout");
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open && !deletion.isPending) onClose();
      }}
      title={t({ id: "profile.delete.title", message: "Delete your account?" })}
      text={t({
        id: "profile.delete.text",
        message:
          "Your exams, reports, laboratory PDFs and subscription will be permanently deleted, and whoever you shared them with loses access. This action cannot be undone, and nothing is refunded. Download your data first if you want to keep them.",
      })}
      confirmLabel={
        deletion.isPending ? (
          <Trans id="action.deleting">Deleting…</Trans>
        ) : (
          <Trans id="profile.delete.confirm">Yes, delete my account</Trans>
        )
      }
      isReady={password !== ""}
      busy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
    >
      <PasswordField
        label={<Trans id="profile.delete.password">Your password</Trans>}
        name="password"
        autoComplete="current-password"
        value={password}
        error={deletion.error?.message}
        onChange={(event) => setPassword(event.target.value)}
      />
    </ConfirmDialog>
  );
}
