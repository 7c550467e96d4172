import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { showToast } from "../../ui/toast.tsx";
import { USERS_AND_SELF } from "./use-users.ts";
import { usersApi } from "./users-api.ts";

/** Says whether somebody may log in, and changes it with a click. */
export function StatusBadge({ user }: { user: CurrentUser }) {
  const { t } = useLingui();
  const toggle = useToggle(user);
  const { name, isAuthorized } = user;
  const text = toggle.isPending
    ? t({ id: "action.saving", message: "Saving…" })
    : isAuthorized
      ? t({ id: "users.authorized", message: "Authorized" })
      : t({ id: "users.unauthorized", message: "Unauthorized" });
  const does = isAuthorized
    ? t({ id: "users.deauthorize", message: `Withdraw ${name}'s authorization` })
    : t({ id: "users.authorize", message: `Authorize ${name}` });
  return (
    <button
      type="button"
      className={`user-status ${isAuthorized ? "is-ok" : "is-off"}`}
      aria-label={`${text}. ${does}`}
      title={does}
      aria-busy={toggle.isPending}
      aria-disabled={toggle.isPending || undefined}
      onClick={() => {
        if (!toggle.isPending) toggle.mutate();
      }}
    >
      {text}
    </button>
  );
}

function useToggle({ id, isAuthorized }: CurrentUser) {
  const { t } = useLingui();
  return useMutation({
    // Busy until the list says the new status.
    meta: { changes: USERS_AND_SELF },
    mutationFn: () => usersApi.change(id, { isAuthorized: !isAuthorized }),
    onError: (error) => {
      const title = t({ id: "users.updateFailed", message: "Failed to update user" });
      showToast({ tone: "bad", title, text: error.message });
    },
  });
}
