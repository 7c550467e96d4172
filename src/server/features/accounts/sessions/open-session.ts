import type { Locale } from "../../../../shared/locale.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { lockUnchanged } from "../passwords/lock-unchanged.ts";
import { rememberPlace } from "../sign-in/known-places.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { updateUser } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { sessionLifetimeSeconds } from "./session-lifetime.ts";
import { insertSession } from "./sessions.repo.ts";

/** The signed-in user, as read when their identity was proven, and their session's token. */
export interface OpenedSession {
  user: UserRow;
  token: string;
}

/**
 * Opens a session for a user whose identity is proven. Stores its language for their mails and remembers their browser and
 * network.
 * @throws {AppError} `auth.wrong_credentials` if the password or address changed since `user` was read
 */
export async function openSession(
  deps: Pick<Deps, "tokens" | "clock">,
  tx: Tx,
  { user, locale }: { user: UserRow; locale: Locale },
  visitor: Visitor,
): Promise<OpenedSession> {
  const now = deps.clock.now();
  const id = Bun.randomUUIDv7();
  // The user's row is locked first, in the same order as the deletion of an account.
  await lockUnchanged(tx, user);
  if (user.locale !== locale) await updateUser(tx, user.id, { locale });
  await insertSession(tx, { id, userId: user.id, at: now });
  await recordAudit(tx, {
    at: now,
    action: "session.opened",
    actorId: user.id,
    accountId: user.id,
    address: visitor.address,
    requestId: visitor.requestId,
  });
  await rememberPlace(tx, user.id, visitor, now);
  const token = await deps.tokens.sign("session", { sid: id, sub: user.id }, sessionLifetimeSeconds);
  return { user, token };
}
