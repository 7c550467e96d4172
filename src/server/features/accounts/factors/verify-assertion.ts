import type { PasskeyAssertion } from "../../../../shared/api/factors.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { relyingPartyOf } from "../../../http/relying-party.ts";
import { notePasskeyUse, takeChallenge } from "./factors.repo.ts";
import type { PasskeyRow } from "./factors.table.ts";
import { type ChallengeUse, type OpenedChallenge, openChallenge } from "./passkey-challenges.ts";
import { loadWebAuthn } from "./webauthn.ts";

/** A verified answer that is not yet used up. */
export interface VerifiedAssertion {
  challenge: OpenedChallenge;
  counter: number;
  isBackedUp: boolean;
}

/**
 * Checks a passkey's answer: its signature, the challenge and its purpose, origin, relying party, user verification, and that
 * the counter increased. Returns undefined if any check fails.
 */
export async function verifyAssertion(
  { config, databaseClock, factorSeal }: Pick<Deps, "config" | "databaseClock" | "factorSeal">,
  passkey: PasskeyRow,
  assertion: PasskeyAssertion,
  use: ChallengeUse,
): Promise<VerifiedAssertion | undefined> {
  const party = relyingPartyOf(config);
  if (!party || !belongsTo(passkey, assertion) || isFramed(assertion.response.clientDataJSON))
    return undefined;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  let challenge: OpenedChallenge | undefined;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...assertion,
        response: { ...assertion.response, userHandle: assertion.response.userHandle ?? undefined },
        clientExtensionResults: {},
      },
      expectedChallenge(given) {
        challenge = openChallenge(factorSeal, given, use, databaseClock.now());
        return challenge !== undefined;
      },
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, "base64url")),
        counter: passkey.counter,
      },
    });
    if (!verified || !challenge) return undefined;
    const { newCounter, credentialBackedUp } = authenticationInfo;
    return { challenge, counter: newCounter, isBackedUp: credentialBackedUp };
  } catch {
    // The library throws a different error class for each way an answer can be wrong.
    return undefined;
  }
}

/** Uses up a verified answer. Returns `false` if its challenge was answered or its counter overtaken in the meantime. */
export async function spendAssertion(
  tx: Tx,
  passkey: PasskeyRow,
  { challenge, counter, isBackedUp }: VerifiedAssertion,
  at: Date,
): Promise<boolean> {
  if (!(await takeChallenge(tx, challenge.hash, challenge.expiresAt))) return false;
  return await notePasskeyUse(tx, passkey.id, { counter, isBackedUp, at });
}

/** The user handle that an authenticator stores: the account's id. */
export function userHandleOf(userId: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(userId, "utf8"));
}

function belongsTo(passkey: PasskeyRow, { id, response }: PasskeyAssertion): boolean {
  if (id !== passkey.credentialId) return false;
  const handle = response.userHandle;
  return handle == null || handle === Buffer.from(userHandleOf(passkey.userId)).toString("base64url");
}

/** Whether a page of another origin had embedded this page in a frame. Pages of this product are never framed. */
export function isFramed(clientDataJSON: string): boolean {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8"));
    return typeof data !== "object" || data === null || ("crossOrigin" in data && data.crossOrigin !== false);
  } catch {
    // Browsers always send JSON, so anything else is refused.
    return true;
  }
}
