import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { relyingPartyOf } from "../../../http/relying-party.ts";
import type { Session } from "../../../http/session.ts";
import { passkeysUnavailable } from "./factors.errors.ts";
import { listPasskeys } from "./factors.repo.ts";
import { type ChallengeUse, newChallenge } from "./passkey-challenges.ts";
import { loadWebAuthn } from "./webauthn.ts";

type OptionsDeps = Pick<Deps, "db" | "databaseClock" | "config" | "factorSeal">;

/**
 * Options that ask the browser for one of the account's passkeys, to confirm a change of the factors.
 * @throws {AppError} `passkey.unavailable`
 */
export async function proofOptions(deps: OptionsDeps, session: Session) {
  return await assertionOptions(deps, { purpose: "prove", sessionId: session.id }, session.userId);
}

/**
 * Options that ask the browser for a passkey to sign in with: any it has, or those of `userId`, whose password was just
 * verified.
 * @throws {AppError} `passkey.unavailable`
 */
export async function signInOptions(deps: OptionsDeps, userId: string | undefined) {
  return await assertionOptions(deps, { purpose: "sign-in", sessionId: "" }, userId);
}

async function assertionOptions(deps: OptionsDeps, use: ChallengeUse, userId: string | undefined) {
  const party = relyingPartyOf(deps.config);
  if (!party) throw new AppError(passkeysUnavailable);
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const keys = userId === undefined ? [] : await listPasskeys(deps.db, userId);
  return await generateAuthenticationOptions({
    rpID: party.id,
    challenge: newChallenge(deps.factorSeal, use, deps.databaseClock.now()),
    userVerification: "required",
    timeout: 5 * 60_000,
    allowCredentials: keys.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
  });
}
