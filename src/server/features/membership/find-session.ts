import { isInForce } from "../../../shared/rules/subscription.ts";
import type { Deps } from "../../deps.ts";
import type { Session } from "../../http/session.ts";
import { SESSION_LIFETIME_MS } from "../accounts/sessions/session-lifetime.ts";
import { touchSession } from "../accounts/sessions/sessions.repo.ts";
import { findSessionRow, type SessionRow } from "./session-standing.repo.ts";

const IDLE_MS = 12 * 3600_000;
/** How stale `lastSeenAt` may get: not every request writes. */
const TOUCH_MS = 5 * 60_000;

/**
 * The session of a bearer token, with role, authorisation and subscription as they are now; `undefined` where
 * the token is bad or its session idle, old or revoked, or its user deauthorised or gone.
 */
export async function findSession(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  token: string,
): Promise<Session | undefined> {
  const claims = await deps.tokens.verify("session", token);
  return claims && (await findLiveSession(deps, claims.sid, claims.sub));
}

/** As {@link findSession}, for a token of another purpose that its session must outlive. */
export async function findLiveSession(
  deps: Pick<Deps, "db" | "clock">,
  sessionId: string,
  userId: string,
): Promise<Session | undefined> {
  return await judgeSession(deps, { sessionId, userId }, await findSessionRow(deps.db, sessionId));
}

/** What a session's row says now; `undefined` as {@link findSession}. */
export async function judgeSession(
  deps: Pick<Deps, "db" | "clock">,
  { sessionId, userId }: { sessionId: string; userId: string },
  row: SessionRow | undefined,
): Promise<Session | undefined> {
  const now = deps.clock.now();
  if (!row || row.userId !== userId || row.revokedAt || !row.isAuthorized) return undefined;
  const idleMs = now.getTime() - row.lastSeenAt.getTime();
  if (idleMs > IDLE_MS || now.getTime() - row.createdAt.getTime() > SESSION_LIFETIME_MS) return undefined;
  if (idleMs > TOUCH_MS) await touchSession(deps.db, sessionId, now);
  const isActive =
    row.subscriptionStatus !== null &&
    isInForce({ status: row.subscriptionStatus, expiresAt: row.expiresAt }, now);
  return {
    id: sessionId,
    userId: row.userId,
    role: row.role,
    hasActiveSubscription: row.role === "admin" || isActive,
  };
}
