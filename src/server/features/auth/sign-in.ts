import type { Login } from "../../../shared/api/auth.ts";
import type { SignedInUser } from "../../../shared/api/users.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { findSubscription } from "../subscriptions/subscriptions.repo.ts";
import { presentUser } from "../users/present-user.ts";
import { findUserByEmail } from "../users/users.repo.ts";
import { notAuthorized, wrongCredentials } from "./auth.errors.ts";
import { insertSession } from "./auth.repo.ts";
import { sessionLifetimeSeconds } from "./find-session.ts";
import { verifyPassword } from "./passwords.ts";
import { beginAttempt } from "./throttle.ts";

const QUARTER_HOUR = 15 * 60;

/**
 * Opens a session. Unknown e-mail and wrong password answer alike, in the same time.
 * @throws {AppError} `auth.wrong_credentials`, `auth.not_authorized` (after the right password), 429
 */
export async function signIn(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  input: Login,
  origin: RequestOrigin,
): Promise<SignedInUser> {
  const { db, clock, tokens } = deps;
  const now = clock.now();
  const account = input.email.toLowerCase();
  const attempt = await beginAttempt(
    db,
    [
      { name: "login:address", subject: origin.address, limit: 300, windowSeconds: QUARTER_HOUR },
      { name: "login:account", subject: account, limit: 100, windowSeconds: QUARTER_HOUR },
      { name: "login:pair", subject: `${account} ${origin.address}`, limit: 10, windowSeconds: QUARTER_HOUR },
    ],
    now,
  );
  const user = await findUserByEmail(db, input.email);
  if (!(await verifyPassword(input.password, user?.passwordHash)) || !user) {
    await recordAudit(db, {
      at: now,
      action: "session.failed",
      actorId: null,
      accountId: user?.id ?? null,
      ...origin,
    });
    throw new AppError(wrongCredentials);
  }
  await attempt.succeed(["login:pair"]);
  if (!user.isAuthorized) throw new AppError(notAuthorized);
  const sessionId = Bun.randomUUIDv7();
  await insertSession(db, { id: sessionId, userId: user.id, at: now });
  await recordAudit(db, {
    at: now,
    action: "session.opened",
    actorId: user.id,
    accountId: user.id,
    ...origin,
  });
  const subscription = await findSubscription(db, user.id);
  const token = await tokens.sign("session", { sid: sessionId, sub: user.id }, sessionLifetimeSeconds);
  return { ...presentUser(user, subscription?.expiresAt ?? null), token };
}
