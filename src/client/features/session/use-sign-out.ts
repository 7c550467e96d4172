import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { ApiError, api } from "../../calls/api.ts";
import { endSession } from "../../session.ts";
import { showToast } from "../../ui/toast.tsx";

/** Ends the session on the server, then here, with all cached data. A failure leaves the person signed in. */
export function useSignOut(): () => Promise<void> {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  return async () => {
    try {
      await api.logout();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // 401: the server has already ended the session.
      if (error.status !== 401) {
        showToast({ tone: "bad", title: t({ id: "auth.logout.failed", message: "Logout failed" }) });
        return;
      }
    }
    queryClient.clear();
    endSession("logout");
  };
}
