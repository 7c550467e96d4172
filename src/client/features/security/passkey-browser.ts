import {
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from "@simplewebauthn/browser";
import type { PasskeyAssertion, PasskeyAttestation } from "../../../shared/api/factors.ts";

type RegistrationOptions = Parameters<typeof startRegistration>[0]["optionsJSON"];
type AuthenticationOptions = Parameters<typeof startAuthentication>[0]["optionsJSON"];

/** A passkey that the browser and its person did not make; `known` is one that is registered already. */
export class PasskeyFailure extends Error {
  override name = "PasskeyFailure";
  constructor(
    readonly reason: "known" | "impossible",
    cause: unknown,
  ) {
    super(reason, { cause });
  }
}

/**
 * Has the browser make a passkey. Undefined where the person turned away from its question.
 * @throws {PasskeyFailure}
 */
export async function makePasskey(options: object): Promise<PasskeyAttestation | undefined> {
  return await answered(() => startRegistration({ optionsJSON: options as RegistrationOptions }));
}

/**
 * Has the browser answer with a passkey: asked at once, or offered in the autofill of the page's e-mail field. A later
 * question takes the place of an offer. Undefined where the person turned away, or something else was asked.
 * @throws {PasskeyFailure}
 */
export async function askForPasskey(
  options: object,
  { asAutofill = false } = {},
): Promise<PasskeyAssertion | undefined> {
  return await answered(() =>
    startAuthentication({
      optionsJSON: options as AuthenticationOptions,
      useBrowserAutofill: asAutofill,
    }),
  );
}

/** Ends the browser's offer of passkeys, if one is open. */
export function stopOfferingPasskeys(): void {
  WebAuthnAbortService.cancelCeremony();
}

async function answered<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name === "NotAllowedError" || name === "AbortError") return undefined;
    if (error instanceof WebAuthnError && error.code === "ERROR_CEREMONY_ABORTED") return undefined;
    throw new PasskeyFailure(name === "InvalidStateError" ? "known" : "impossible", error);
  }
}
