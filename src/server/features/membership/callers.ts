import { ACCESS_TOKEN_PREFIX } from "../../../shared/api/access-tokens.ts";
import { DELIVERY_TOKEN_PREFIX } from "../../../shared/api/deliveries.ts";
import { spareChange } from "../../db/spare-change.ts";
import type { Deps } from "../../deps.ts";
import { bearerToken } from "../../http/guard.ts";
import type { FindSession, Session } from "../../http/session.ts";
import { ByteCache } from "../../runtime/byte-cache.ts";
import { touchAccessToken } from "../accounts/access-tokens/access-tokens.repo.ts";
import { hashSecret } from "../accounts/mailed-links/secrets.ts";
import { findSession, hasActiveSubscription } from "./find-session.ts";
import { findTokenRow } from "./token-standing.repo.ts";

/** How stale `lastUsedAt` may be, so that not every request writes. */
const TOUCH_MS = 5 * 60_000;
/** Memory for the tokens seen last, some 2,000 of them. */
const SEEN_BYTES = 512 * 1024;
/** The approximate memory of a hash and a user's id. */
const SEEN_ENTRY_BYTES = 250;

/** Who calls: by the token of a session, a program or a delivery. */
export interface Callers {
  find: FindSession;
  /** The sender of a request, known without a look-up; undefined for a token of another kind than a session's that was not used lately. */
  senderOf(authorization: string | undefined): Promise<string | undefined>;
}

export function createCallers(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  findDeliverySession: FindSession,
): Callers {
  const seen = new ByteCache<Pick<Session, "userId">>(SEEN_BYTES, () => SEEN_ENTRY_BYTES);
  return {
    async find(token) {
      if (!isProgramToken(token)) return await findSession(deps, token);
      const tokenHash = hashSecret(token);
      const session = await (token.startsWith(ACCESS_TOKEN_PREFIX)
        ? findTokenSession(deps, tokenHash)
        : findDeliverySession(token));
      // A delivery is a sender of its own, which takes no place of the account.
      if (session) seen.set(tokenHash, { userId: session.delivery?.id ?? session.userId });
      return session;
    },
    async senderOf(authorization) {
      const token = bearerToken(authorization) ?? "";
      if (isProgramToken(token)) return seen.get(hashSecret(token))?.userId;
      return (await deps.tokens.verify("session", token))?.sub;
    },
  };
}

/** Whether a token is looked up by its hash, and not a session's. */
function isProgramToken(token: string): boolean {
  return token.startsWith(ACCESS_TOKEN_PREFIX) || token.startsWith(DELIVERY_TOKEN_PREFIX);
}

/** Undefined if the token has ended or its user is unauthorised. */
async function findTokenSession(
  { db, clock }: Pick<Deps, "db" | "clock">,
  tokenHash: string,
): Promise<Session | undefined> {
  const row = await findTokenRow(db, tokenHash);
  const now = clock.now();
  if (!row?.isAuthorized || (row.endsAt && row.endsAt <= now)) return undefined;
  const idleMs = now.getTime() - (row.lastUsedAt?.getTime() ?? 0);
  if (idleMs > TOUCH_MS) await spareChange(() => touchAccessToken(db, row.id, now));
  const { id, userId, role, isTrial, scopes } = row;
  return { id, userId, role, isTrial, scopes, hasActiveSubscription: hasActiveSubscription(row, now) };
}
