import type {
  IdentityProof,
  NewPasskey,
  PasskeyAnswer,
  PasskeyAttestation,
} from "../../../../shared/api/factors.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { type RelyingParty, relyingPartyOf } from "../../../http/relying-party.ts";
import type { Session } from "../../../http/session.ts";
import { byAccount } from "../../../mail/mail-budget.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { lockSession } from "../sessions/lock-session.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { mailUser } from "../users/mail-user.ts";
import { addFirstFactor } from "./add-first-factor.ts";
import { passkeyAddedMail } from "./factor-mails.ts";
import { passkeyKnown, passkeyRefused, passkeysUnavailable, tooManyPasskeys } from "./factors.errors.ts";
import { deleteTotp, findSignInMethods, insertPasskey, listPasskeys, takeChallenge } from "./factors.repo.ts";
import type { PasskeyRow } from "./factors.table.ts";
import { newChallenge, type OpenedChallenge, openChallenge } from "./passkey-challenges.ts";
import { presentPasskey } from "./present-factors.ts";
import { type ProofDeps, proveIdentityToAdd } from "./prove-identity.ts";
import { isFramed, userHandleOf } from "./verify-assertion.ts";
import { loadWebAuthn } from "./webauthn.ts";

const MAX_PASSKEYS = 20;
/** EdDSA, ES256, RS256: the algorithms that authenticators use. The runtime could verify more. */
const ALGORITHMS = [-8, -7, -257];
/** An RSA key of 4,096 bits is 550 bytes. */
const MAX_KEY_BYTES = 1_024;

/**
 * Options from which the browser creates a passkey, for this session.
 * @throws {AppError} `passkey.unavailable`, `passkey.too_many`, and the errors of `proveIdentity`
 */
export async function passkeyRegistrationOptions(
  deps: ProofDeps,
  session: Session,
  proof: IdentityProof,
  origin: Visitor,
) {
  const party = relyingPartyOf(deps.config);
  if (!party) throw new AppError(passkeysUnavailable);
  // Read before the proof: a proof without a factor allows the first factor only.
  const isFirst = (await findSignInMethods(deps.db, session.userId)).length === 0;
  const user = await proveIdentityToAdd(deps, session, proof, origin);
  const known = await listPasskeys(deps.db, user.id);
  if (known.length >= MAX_PASSKEYS) throw new AppError(tooManyPasskeys);
  const { generateRegistrationOptions } = await loadWebAuthn();
  return await generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: userHandleOf(user.id),
    userName: user.email,
    userDisplayName: user.name,
    challenge: newChallenge(
      deps.factorSeal,
      { purpose: isFirst ? "register first" : "register", sessionId: session.id },
      deps.databaseClock.now(),
    ),
    timeout: 5 * 60_000,
    attestationType: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/**
 * Stores a new passkey. The first factor of an account creates its recovery codes and forgets the remembered devices, which
 * have proven access to the mailbox only.
 * @throws {AppError} `passkey.refused`, `passkey.known`, `passkey.too_many`, `passkey.unavailable`
 */
export async function registerPasskey(
  deps: ProofDeps,
  session: Session,
  { name, response }: NewPasskey,
  origin: Visitor,
): Promise<PasskeyAnswer> {
  const { db, clock, config } = deps;
  const party = relyingPartyOf(config);
  if (!party) throw new AppError(passkeysUnavailable);
  const { challenge, isForFirst, ...made } = await verifyAttestation(deps, party, session, response);
  const now = clock.now();
  return await db.transaction(async (tx) => {
    const user = await lockSession(tx, session);
    if (!(await takeChallenge(tx, challenge.hash, challenge.expiresAt))) throw new AppError(passkeyRefused);
    if ((await listPasskeys(tx, user.id)).length >= MAX_PASSKEYS) throw new AppError(tooManyPasskeys);
    const recoveryCodes = await addFirstFactor(tx, user.id, now);
    if (isForFirst && !recoveryCodes) throw new AppError(passkeyRefused);
    // A pending authenticator app was started without this key, so it must start again.
    if (recoveryCodes) await deleteTotp(tx, user.id);
    const row: PasskeyRow = {
      id: Bun.randomUUIDv7(),
      userId: user.id,
      name,
      createdAt: now,
      lastUsedAt: null,
      ...made,
    };
    if (!(await insertPasskey(tx, row))) throw new AppError(passkeyKnown);
    const details = { factor: "passkey" };
    const { id } = user;
    await recordAudit(tx, {
      at: now,
      action: "factor.added",
      actorId: id,
      accountId: id,
      details,
      ...origin,
    });
    await mailUser(deps, tx, user, passkeyAddedMail(name), byAccount(user.id, now));
    return { passkey: presentPasskey(row), recoveryCodes };
  });
}

type MadePasskey = Pick<
  PasskeyRow,
  "credentialId" | "publicKey" | "counter" | "transports" | "isSyncable" | "isBackedUp"
>;

async function verifyAttestation(
  { databaseClock, factorSeal }: Pick<Deps, "databaseClock" | "factorSeal">,
  party: RelyingParty,
  session: Session,
  attestation: PasskeyAttestation,
): Promise<MadePasskey & { challenge: OpenedChallenge; isForFirst: boolean }> {
  const { verifyRegistrationResponse, ...helpers } = await loadWebAuthn();
  let isForFirst = false;
  let challenge: OpenedChallenge | undefined;
  try {
    assertUnattested(attestation, helpers);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...attestation,
        response: withoutTransports(attestation.response),
        clientExtensionResults: {},
      },
      expectedChallenge(given) {
        const opened = (purpose: "register" | "register first") =>
          openChallenge(factorSeal, given, { purpose, sessionId: session.id }, databaseClock.now());
        const first = opened("register first");
        isForFirst = first !== undefined;
        challenge = first ?? opened("register");
        return challenge !== undefined;
      },
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified || !challenge) throw new AppError(passkeyRefused);
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
    if (credential.publicKey.length > MAX_KEY_BYTES) throw new AppError(passkeyRefused);
    return {
      challenge,
      isForFirst,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString("base64url"),
      counter: credential.counter,
      transports: attestation.response.transports ?? [],
      isSyncable: credentialDeviceType === "multiDevice",
      isBackedUp: credentialBackedUp,
    };
  } catch (cause) {
    // The library throws a different error class for each way an answer can be wrong.
    throw cause instanceof AppError ? cause : new AppError(passkeyRefused, { cause });
  }
}

/**
 * The server asks for no attestation. It refuses a statement with certificates unread: reading it would parse data that a
 * stranger signed, and the library may fetch the revocation list that a certificate names.
 */
function assertUnattested(
  { response }: PasskeyAttestation,
  { decodeAttestationObject }: Pick<Awaited<ReturnType<typeof loadWebAuthn>>, "decodeAttestationObject">,
): void {
  if (isFramed(response.clientDataJSON)) throw new AppError(passkeyRefused);
  const bytes = Uint8Array.from(Buffer.from(response.attestationObject, "base64url"));
  const decoded = decodeAttestationObject(bytes);
  const fmt = decoded.get("fmt");
  const isSelfAttested = fmt === "packed" && decoded.get("attStmt").get("x5c") === undefined;
  if (fmt !== "none" && !isSelfAttested) throw new AppError(passkeyRefused);
}

/**
 * Leaves out the transports: the library accepts only those on its own list. The server stores them as bounded strings and
 * returns them to browsers.
 */
function withoutTransports({ clientDataJSON, attestationObject }: PasskeyAttestation["response"]) {
  return { clientDataJSON, attestationObject };
}
