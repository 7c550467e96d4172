import { isInForce } from "../../../shared/rules/subscription.ts";
import { spareChange } from "../../db/spare-change.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { unauthenticated } from "../../http/http.errors.ts";
import type { Session } from "../../http/session.ts";
import { SESSION_LIFETIME_MS } from "../accounts/sessions/session-lifetime.ts";
import { touchSession } from "../accounts/sessions/sessions.repo.ts";
import { findSessionRow, type SessionRow } from "./session-standing.repo.ts";

const IDLE_MS = 12 * 3600_000;
/** How stale `lastSeenAt` may be, so that not every request writes. A session ends so much before its idle hours at most, never later. */
const TOUCH_MS = 60_000;

/**
 * The session of a bearer token with its current role, authorisation and subscription. Returns `undefined` if the token is
 * invalid, its session is idle, old or revoked, or its user is unauthorised or deleted.
 */
export async function findSession(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  token: string,
): Promise<Session | undefined> {
  const claims = await deps.tokens.verify("session", token);
  return claims && (await findLiveSession(deps, claims.sid, claims.sub));
}

/** Like {@link findSession}, for a token of another purpose, which is valid only while its session is. */
export async function findLiveSession(
  deps: Pick<Deps, "db" | "clock">,
  sessionId: string,
  userId: string,
): Promise<Session | undefined> {
  return await judgeSession(deps, { sessionId, userId }, await findSessionRow(deps.db, sessionId));
}

/** A session as it is now. @throws {AppError} 401 once it has ended */
export async function readmitSession(
  deps: Pick<Deps, "db" | "clock">,
  { id, userId }: Pick<Session, "id" | "userId">,
): Promise<Session> {
  const session = await findLiveSession(deps, id, userId);
  if (!session) throw new AppError(unauthenticated);
  return session;
}

/** The current state of a session; `undefined` as in {@link findSession}. */
export async function judgeSession(
  deps: Pick<Deps, "db" | "clock">,
  { sessionId, userId }: { sessionId: string; userId: string },
  row: SessionRow | undefined,
): Promise<Session | undefined> {
  const now = deps.clock.now();
  if (!row || row.userId !== userId || row.revokedAt || !row.isAuthorized) return undefined;
  const idleMs = now.getTime() - row.lastSeenAt.getTime();
  if (idleMs > IDLE_MS || now.getTime() - row.createdAt.getTime() > SESSION_LIFETIME_MS) return undefined;
  if (idleMs > TOUCH_MS) await spareChange(() => touchSession(deps.db, sessionId, now));
  const { role, isTrial } = row;
  return { id: sessionId, userId, role, isTrial, hasActiveSubscription: hasActiveSubscription(row, now) };
}

/** Whether exams are open to the user now; to an admin always. */
export function hasActiveSubscription(
  {
    role,
    subscriptionStatus: status,
    expiresAt,
  }: Pick<SessionRow, "role" | "subscriptionStatus" | "expiresAt">,
  now: Date,
): boolean {
  return role === "admin" || (status !== null && isInForce({ status, expiresAt }, now));
}
