import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { ApiError } from "../../calls/api.ts";
import { beginSession } from "../../session.ts";
import { showToast } from "../../ui/toast.tsx";
import { authApi } from "./auth-api.ts";
import { keepPendingSignIn, type PendingSignIn } from "./pending-sign-in.ts";

/** Sign-ins whose last code got no answer. If that code ended the sign-in, every further code is called wrong. */
const unanswered = new WeakSet<PendingSignIn>();

/** Sends the code of a second step and starts the session. */
export function useCodeCheck(pending: PendingSignIn | undefined) {
  const { t } = useLingui();
  const [isBusy, setBusy] = useState(false);
  const [isWrong, setWrong] = useState(false);

  /** Returns whether the code may stay in its boxes: it was right, or never reached the server. */
  const verify = async (code: string, rememberDevice: boolean): Promise<boolean> => {
    if (!pending) return false;
    setBusy(true);
    try {
      const user = await authApi.verifyCode({ email: pending.email, code, rememberDevice });
      keepPendingSignIn(undefined);
      // The form stays busy until the next page loads.
      beginSession(user, { keepConnected: pending.keepConnected });
      return true;
    } catch (error) {
      setBusy(false);
      if (!(error instanceof ApiError)) throw error;
      setWrong(error.status !== 0);
      const title = t({ id: "auth.verify.failed", message: "Verification failed" });
      const text =
        unanswered.has(pending) && error.status === 401
          ? t({ id: "auth.verify.over", message: "The code has expired. Go back and log in again." })
          : error.message;
      if (error.status === 0 || error.status >= 500) unanswered.add(pending);
      showToast({ tone: "bad", title, text });
      return error.status === 0;
    }
  };
  return { isBusy, isWrong, verify };
}
