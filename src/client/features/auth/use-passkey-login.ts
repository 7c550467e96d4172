import { useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import { ApiError } from "../../calls/api.ts";
import { beginSession } from "../../session.ts";
import { showToast } from "../../ui/toast.tsx";
import { keepPendingSignIn } from "./pending-sign-in.ts";

const loadSignIn = () => import("./passkey-sign-in.ts");

/** Sign-in with a passkey; its code is loaded on first use. */
export function usePasskeyLogin(load = loadSignIn) {
  const { t } = useLingui();
  const [isBusy, setBusy] = useState(false);
  const logIn = async (options: { keepConnected: boolean; email?: string }) => {
    setBusy(true);
    const title = t({ id: "auth.login.failed", message: "Login failed" });
    const code = await load().catch(() => undefined);
    if (!code) {
      const text = t({
        id: "auth.passkey.notLoaded",
        message: "What this needs could not be loaded. Check your connection, or reload the page.",
      });
      showToast({ tone: "bad", title, text });
      return setBusy(false);
    }
    try {
      const user = await code.signInWithPasskey(options.email);
      if (user) {
        keepPendingSignIn(undefined);
        // The form stays busy until the next page loads.
        return beginSession(user, options);
      }
    } catch (error) {
      const text =
        error instanceof ApiError
          ? error.message
          : t({ id: "auth.passkey.impossible", message: "No passkey could be used in this browser." });
      showToast({ tone: "bad", title, text });
    }
    setBusy(false);
  };
  return { isBusy, logIn };
}

/** Offers passkeys in the autofill of the e-mail field, in browsers that support it. The person did not ask for it: failures are silent. */
export function usePasskeyOffer(
  isPossible: boolean | undefined,
  keepConnected: () => boolean,
  load = loadSignIn,
): void {
  useEffect(() => {
    if (!isPossible) return;
    const leaving = new AbortController();
    const offer = async () => {
      if (!(await window.PublicKeyCredential?.isConditionalMediationAvailable?.())) return;
      const code = await load().catch(() => undefined);
      const user = leaving.signal.aborted ? undefined : await code?.offerPasskeys(leaving.signal);
      if (user) beginSession(user, { keepConnected: keepConnected() });
    };
    void offer();
    return () => leaving.abort();
  }, [isPossible, keepConnected, load]);
}
