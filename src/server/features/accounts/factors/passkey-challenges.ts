import { randomBytes } from "node:crypto";
import type { Seal } from "../../../runtime/seal.ts";
import { hashSecret } from "../mailed-links/secrets.ts";

const LIFETIME_MS = 5 * 60_000;

/** What the answer to a challenge is used for, and by whom. */
export interface ChallengeUse {
  purpose: "register" | "register first" | "prove" | "sign-in";
  /** The session that asked; empty at sign-in, when there is no session. */
  sessionId: string;
}

interface SealedChallenge extends ChallengeUse {
  expiresAt: number;
  nonce: string;
}

/** What is stored of an answered challenge, so that it cannot be answered again. */
export interface OpenedChallenge {
  hash: string;
  expiresAt: Date;
}

/**
 * Creates a challenge that is valid for five minutes. It carries its purpose, sealed under the server's key, so only answered
 * challenges are stored: a stranger who asks for many cannot fill a table.
 * @param now by the database's clock, since any node may open it
 */
export function newChallenge(seal: Seal, use: ChallengeUse, now: Date): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(16).toString("base64url");
  const sealed: SealedChallenge = { ...use, expiresAt: now.getTime() + LIFETIME_MS, nonce };
  return Uint8Array.from(Buffer.from(seal.close(sealed), "base64"));
}

/**
 * Returns undefined for a challenge that this server did not create, that has expired, or that is for another use.
 * `challenge` is base64url.
 */
export function openChallenge(
  seal: Seal,
  challenge: string,
  use: ChallengeUse,
  now: Date,
): OpenedChallenge | undefined {
  const bytes = Buffer.from(challenge, "base64url");
  const sealed = unseal(seal, bytes);
  if (!sealed || sealed.purpose !== use.purpose || sealed.sessionId !== use.sessionId) return undefined;
  if (sealed.expiresAt <= now.getTime()) return undefined;
  return { hash: hashSecret(bytes.toString("base64")), expiresAt: new Date(sealed.expiresAt) };
}

function unseal(seal: Seal, bytes: Buffer): SealedChallenge | undefined {
  try {
    return seal.open(bytes.toString("base64")) as SealedChallenge;
  } catch {
    // Anything that cannot be opened was not sealed here. That is an expected result, not an error.
    return undefined;
  }
}
