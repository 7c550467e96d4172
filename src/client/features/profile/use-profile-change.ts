import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useSetAtom } from "jotai";
import type { UseFormReturn } from "react-hook-form";
import type { ProfileAnswer, ProfileChange } from "../../../shared/api/users.ts";
import { mayBeDone } from "../../calls/may-be-done.ts";
import { CURRENT_USER } from "../../calls/query-keys.ts";
import { announceSessionEnd, refreshSessionUser, renewSession } from "../../session.ts";
import { showFormFailure } from "../../ui/form-failure.ts";
import { showToast } from "../../ui/toast.tsx";
import { isSessionOver } from "../session/is-session-over.ts";
import { knownEndAtom } from "../session/known-end.ts";
import { profileApi } from "./profile-api.ts";

/** The field that an error code is about, for refusals without violations. */
const fieldOfCode: Record<string, keyof ProfileChange> = {
  "auth.wrong_current_password": "currentPassword",
  "auth.email_taken": "email",
};

/** Saves the profile. After a change of password the session continues with the new token. */
export function useProfileChange(
  { setError, reset }: UseFormReturn<ProfileChange>,
  onSaved: (answer: ProfileAnswer) => void,
) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const setToldEnd = useSetAtom(knownEndAtom);

  return async (change: ProfileChange): Promise<void> => {
    try {
      const answer = await profileApi.change(change);
      if (answer.token) renewSession({ token: answer.token, user: answer.user });
      else refreshSessionUser(answer.user);
      queryClient.setQueryData(CURRENT_USER, answer.user);
      showToast({ tone: "ok", title: t({ id: "profile.saved", message: "Profile updated" }) });
      onSaved(answer);
    } catch (error) {
      // A changed password ends the session, and the new one was in the answer that was lost.
      if (change.newPassword && mayBeDone(error) && (await isSessionOver())) {
        reset({ ...change, currentPassword: "", newPassword: "" });
        setToldEnd("password");
        announceSessionEnd("password");
        return showToast({
          tone: "ok",
          title: t({ id: "profile.passwordChanged", message: "Password changed" }),
          text: t({
            id: "profile.passwordChanged.text",
            message: "Your session ended with the old one. Log in with the new one.",
          }),
        });
      }
      const title = t({ id: "profile.failed", message: "Update failed" });
      showFormFailure(error, {
        setError,
        fields: ["name", "email", "currentPassword", "newPassword"],
        fieldOfCode,
        title,
        // A wrong password is reported in a toast too, because its field may be below the screen's edge.
        tell: ({ code, message }, isAtField) => {
          if (!isAtField || code in fieldOfCode) showToast({ tone: "bad", title, text: message });
        },
      });
    }
  };
}
