import { randomBytes } from "node:crypto";
import type { Seal } from "../../../runtime/seal.ts";
import { hashSecret } from "../mailed-links/secrets.ts";

const LIFETIME_MS = 5 * 60_000;

/** What an answer to the challenge does, and for whom. */
export interface ChallengeUse {
  purpose: "register" | "register first" | "prove" | "sign-in";
  /** The session that asked; empty at a sign-in, where there is none. */
  sessionId: string;
}

interface SealedChallenge extends ChallengeUse {
  expiresAt: number;
  nonce: string;
}

/** What keeps an answered challenge from being answered again. */
export interface OpenedChallenge {
  hash: string;
  expiresAt: Date;
}

/**
 * A challenge, good for five minutes. It carries what it is for, sealed under the server's key, so that a stranger
 * who asks for many fills no table; only answered ones are kept.
 */
export function newChallenge(seal: Seal, use: ChallengeUse, now: Date): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(16).toString("base64url");
  const sealed: SealedChallenge = { ...use, expiresAt: now.getTime() + LIFETIME_MS, nonce };
  return Uint8Array.from(Buffer.from(seal.close(sealed), "base64"));
}

/** Undefined for a challenge that is not ours, over, or for another use. `challenge` is base64url. */
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
    // Whatever does not open was not made here: that is the answer, and no failure.
    return undefined;
  }
}
