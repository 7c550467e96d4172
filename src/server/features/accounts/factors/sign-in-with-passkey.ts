import type { PasskeyAssertion } from "../../../../shared/api/factors.ts";
import type { Locale } from "../../../../shared/locale.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { notAuthorized } from "../accounts.errors.ts";
import { hashSecret } from "../mailed-links/secrets.ts";
import { type OpenedSession, openSession } from "../sessions/open-session.ts";
import { QUARTER_HOUR_SECONDS } from "../sign-in/begin-guess.ts";
import { standingOf } from "../sign-in/known-places.ts";
import { beginAttempt, type ThrottleRule } from "../sign-in/throttle.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { findUser, lockUser } from "../users/users.repo.ts";
import { wrongPasskey } from "./factors.errors.ts";
import { findPasskey } from "./factors.repo.ts";
import type { PasskeyRow } from "./factors.table.ts";
import { spendAssertion, type VerifiedAssertion, verifyAssertion } from "./verify-assertion.ts";

/**
 * Opens a session with a passkey alone: its authenticator verified the user, so it counts as both factors.
 * @throws {AppError} `auth.wrong_passkey`, `auth.not_authorized` (after a right one), 429
 */
export async function signInWithPasskey(
  deps: Pick<Deps, "db" | "tokens" | "clock" | "databaseClock" | "config" | "factorSeal">,
  { response, locale }: { response: PasskeyAssertion; locale: Locale },
  origin: Visitor,
): Promise<OpenedSession> {
  const { db, clock } = deps;
  const now = clock.now();
  const passkey = await findPasskey(db, response.id);
  const attempt = await beginAttempt(db, [await ruleFor(deps, passkey, origin)], now);
  const use = { purpose: "sign-in", sessionId: "" } as const;
  const verified = passkey && (await verifyAssertion(deps, passkey, response, use));
  const signedIn = passkey && verified && (await openSessionOf(deps, { passkey, verified, locale }, origin));
  if (!signedIn) {
    const accountId = passkey?.userId ?? null;
    await recordAudit(db, { at: now, action: "session.failed", actorId: null, accountId, ...origin });
    throw new AppError(wrongPasskey);
  }
  await attempt.succeed();
  if (signedIn === "waiting") throw new AppError(notAuthorized);
  return signedIn;
}

/** A browser that has signed in to the key's account has its own limit, so nobody on its network can lock it out. */
async function ruleFor(
  { db }: Pick<Deps, "db">,
  passkey: PasskeyRow | undefined,
  { network, browser }: Visitor,
): Promise<ThrottleRule> {
  const user = passkey && (await findUser(db, passkey.userId));
  const isKnown = user && (await standingOf(db, user.email, { network, browser })) === "browser";
  const windowSeconds = QUARTER_HOUR_SECONDS;
  if (!isKnown) return { name: "passkey:address", subject: network, limit: 300, windowSeconds };
  const subject = `${user.id} ${hashSecret(browser)}`;
  return { name: "passkey:browser", subject, limit: 10, windowSeconds, resetsOnSuccess: true };
}

/** `waiting`: the key is right, and its account is not let in. */
async function openSessionOf(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  { passkey, verified, locale }: { passkey: PasskeyRow; verified: VerifiedAssertion; locale: Locale },
  origin: Visitor,
): Promise<OpenedSession | "waiting" | undefined> {
  return await deps.db.transaction(async (tx) => {
    // Locked first, in the same order as the deletion of an account.
    const user = await lockUser(tx, passkey.userId);
    if (!user || !(await spendAssertion(tx, passkey, verified, deps.clock.now()))) return undefined;
    if (!user.isAuthorized) return "waiting";
    return await openSession(deps, tx, { user, locale }, origin);
  });
}
