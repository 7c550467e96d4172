import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import type { UseFormReturn } from "react-hook-form";
import type { ProfileAnswer, ProfileChange } from "../../../shared/api/users.ts";
import { ApiError } from "../../api.ts";
import { CURRENT_USER } from "../../query-keys.ts";
import { refreshSessionUser, renewSession } from "../../session.ts";
import { showToast } from "../../ui/toast.tsx";
import { showViolations } from "../../validation.ts";
import { profileApi } from "./profile-api.ts";

/** Which field a refusal is about, where it is no violation. */
const fieldOfCode: Record<string, keyof ProfileChange> = {
  "auth.wrong_current_password": "currentPassword",
  "auth.email_taken": "email",
};

/** Saves the profile; the session goes on under the new token that a change of password brings. */
export function useProfileChange(
  { setError }: UseFormReturn<ProfileChange>,
  onSaved: (answer: ProfileAnswer) => void,
) {
  const { t } = useLingui();
  const queryClient = useQueryClient();

  const showFailure = (error: ApiError) => {
    const field = fieldOfCode[error.code];
    if (field) setError(field, { message: error.message }, { shouldFocus: true });
    else if (showViolations(error, setError, ["name", "email", "currentPassword", "newPassword"])) return;
    const title = t({ id: "profile.failed", message: "Update failed" });
    showToast({ tone: "bad", title, text: error.message });
  };

  return async (change: ProfileChange): Promise<void> => {
    try {
      const answer = await profileApi.change(change);
      if (answer.token) renewSession({ token: answer.token, user: answer.user });
      else refreshSessionUser(answer.user);
      queryClient.setQueryData(CURRENT_USER, answer.user);
      showToast({ tone: "ok", title: t({ id: "profile.saved", message: "Profile updated" }) });
      onSaved(answer);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      showFailure(error);
    }
  };
}
