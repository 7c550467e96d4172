import { jwtVerify, SignJWT } from "jose";
import { ByteCache } from "../../../runtime/byte-cache.ts";

/** The purpose of a signed token. A token is invalid for any other purpose. */
export type TokenPurpose = "session" | "viewer" | "visit" | "download" | "export";

export interface TokenClaims {
  /** Session id: a token ends with the session that created it. Of a visit, its own id; `sub` is its link then. */
  sid: string;
  sub: string;
  /** Study row ids that a viewer or download token opens. */
  studies?: string[];
}

export interface VerifiedClaims extends TokenClaims {
  issuedAt: Date;
}

export interface Tokens {
  sign(purpose: TokenPurpose, claims: TokenClaims, lifetimeSeconds: number): Promise<string>;
  /** Returns `undefined` for a token that is forged, expired or made for another purpose. */
  verify(purpose: TokenPurpose, token: string): Promise<VerifiedClaims | undefined>;
}

/** Memory for verified tokens, some 5,000 of them: a viewer sends the same token with every frame. */
const REMEMBERED_BYTES = 4 * 1024 * 1024;
/** The memory of one token's claims. Their strings are shorter than the token, which is counted twice for that. */
const CLAIMS_BYTES = 400;

/** HS256 JWTs (jose), keyed by AUTH_SECRET. A token alone never suffices: callers check its session's row. */
export function createTokens(secret: string, now: () => Date): Tokens {
  const key = new TextEncoder().encode(secret);
  const remembered = new ByteCache<{ claims: VerifiedClaims; expiresAt: number }>(
    REMEMBERED_BYTES,
    (_, name) => 2 * name.length + CLAIMS_BYTES,
  );
  return {
    async sign(purpose, claims, lifetimeSeconds) {
      const issuedAt = Math.floor(now().getTime() / 1000);
      return await new SignJWT({ sid: claims.sid, ...(claims.studies && { studies: claims.studies }) })
        .setProtectedHeader({ alg: "HS256" })
        .setAudience(purpose)
        .setSubject(claims.sub)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .sign(key);
    },
    async verify(purpose, token) {
      const name = `${purpose} ${token}`;
      const known = remembered.get(name);
      if (known) return now().getTime() < known.expiresAt ? known.claims : undefined;
      const verified = await jwtVerify(token, key, {
        algorithms: ["HS256"],
        audience: purpose,
        currentDate: now(),
        requiredClaims: ["sub", "exp", "iat"],
      }).catch(() => undefined);
      const { sid, sub, studies, iat, exp } = verified?.payload ?? {};
      if (typeof sid !== "string" || typeof sub !== "string") return undefined;
      if (typeof iat !== "number" || typeof exp !== "number") return undefined;
      const claims = {
        sid,
        sub,
        issuedAt: new Date(iat * 1000),
        ...(Array.isArray(studies) && { studies: studies.map(String) }),
      };
      remembered.set(name, { claims, expiresAt: exp * 1000 });
      return claims;
    },
  };
}
