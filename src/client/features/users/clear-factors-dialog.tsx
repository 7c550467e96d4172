import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { useState } from "react";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { clearedUserSubject, USERS_AND_SELF, useFoundUser } from "./use-users.ts";
import { UserQuote } from "./user-quote.tsx";
import { usersApi } from "./users-api.ts";

/** Removes somebody's lost passkeys and authenticator app; the admin confirms with their own password. */
export function ClearFactorsDialog() {
  const [user, setUser] = useAtom(clearedUserSubject.valueAtom);
  useFoundUser(clearedUserSubject);
  return user ? <Question key={user.id} user={user} onClose={() => setUser(undefined)} /> : null;
}

function Question({ user, onClose }: { user: CurrentUser; onClose: () => void }) {
  const { t } = useLingui();
  const [currentPassword, setPassword] = useState("");
  const close = useOwnClose(onClose);
  const clearing = useMutation({
    meta: { changes: USERS_AND_SELF },
    mutationFn: () => usersApi.clearFactors(user.id, { currentPassword }),
    onSuccess: () => {
      const title = t({ id: "users.factors.cleared", message: "Second factor removed" });
      showToast({ tone: "ok", title, text: user.name });
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open && !clearing.isPending) onClose();
      }}
      title={t({ id: "users.factors.title", message: "Remove the second factor?" })}
      text={t({
        id: "users.factors.text",
        message:
          "For somebody who lost them all: passkeys, authenticator app and recovery codes stop working. Make sure that it is really them who asks. They are told by e-mail.",
      })}
      confirmLabel={<Trans id="security.removeConfirm">Remove</Trans>}
      isReady={currentPassword !== ""}
      busy={clearing.isPending}
      onConfirm={() => clearing.mutate(undefined, { onSuccess: close })}
    >
      <UserQuote user={user} />
      <div className="security-form">
        <PasswordField
          label={<Trans id="security.proof.password">Your password</Trans>}
          name="password"
          autoComplete="current-password"
          value={currentPassword}
          error={clearing.error?.message}
          onChange={(event) => setPassword(event.target.value)}
        />
      </div>
    </ConfirmDialog>
  );
}
