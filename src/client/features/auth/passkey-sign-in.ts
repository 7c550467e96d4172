import { passkeySignInCall, passkeySignInOptionsCall } from "../../../shared/api/factors.ts";
import type { SignedInUser } from "../../../shared/api/users.ts";
import { ApiError, callJson } from "../../calls/api.ts";
import { askForPasskey, PasskeyFailure, stopOfferingPasskeys } from "../security/passkey-browser.ts";

interface SignInWay {
  body: { email?: string };
  /** Whether the passkeys are offered in the autofill of a field, instead of in a dialog. */
  asAutofill: boolean;
}

/** An offered challenge is renewed before its five minutes are over. */
const RENEW_MS = 4 * 60_000;

/**
 * Signs in with a passkey. With the e-mail of a sign-in that waits for its second step, only that account's passkeys are
 * accepted. Undefined if the person cancelled the browser's dialog.
 * @throws {ApiError}
 * @throws {PasskeyFailure}
 */
export async function signInWithPasskey(email?: string): Promise<SignedInUser | undefined> {
  return await signIn({ body: email === undefined ? {} : { email }, asAutofill: false });
}

/**
 * Offers the browser's passkeys in the autofill of the e-mail field, until `signal` aborts. The person did not ask for it,
 * so failures are silent.
 */
export async function offerPasskeys(signal: AbortSignal): Promise<SignedInUser | undefined> {
  signal.addEventListener("abort", stopOfferingPasskeys, { once: true });
  while (!signal.aborted) {
    const renewal = setTimeout(stopOfferingPasskeys, RENEW_MS);
    const offeredAt = Date.now();
    try {
      const user = await signIn({ body: {}, asAutofill: true });
      // Before its renewal, an offer ends without a user only because another sign-in took over.
      if (user || Date.now() - offeredAt < RENEW_MS) return user;
    } catch (error) {
      if (error instanceof ApiError || error instanceof PasskeyFailure) return undefined;
      throw error;
    } finally {
      clearTimeout(renewal);
    }
  }
  return undefined;
}

async function signIn({ body, asAutofill }: SignInWay): Promise<SignedInUser | undefined> {
  const options = await callJson(passkeySignInOptionsCall, { body, anonymous: true });
  const response = await askForPasskey(options, { asAutofill });
  if (!response) return undefined;
  return await callJson(passkeySignInCall, { body: { response }, anonymous: true });
}
