import type { Tx } from "../../../db/client.ts";
import { AppError } from "../../../http/app-error.ts";
import { unauthenticated } from "../../../http/http.errors.ts";
import type { Session } from "../../../http/session.ts";
import { lockUser } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { isSessionRevoked } from "./sessions.repo.ts";

/**
 * Locks the row of a session's user, and makes sure that the session did not end while this waited for it: a change of the password
 * holds the lock, and what it ends must not be made again by a request that came before it. Not for access tokens.
 * @throws {AppError} 401
 */
export async function lockSession(tx: Tx, session: Pick<Session, "id" | "userId">): Promise<UserRow> {
  const user = await lockUser(tx, session.userId);
  if (!user?.isAuthorized || (await isSessionRevoked(tx, session.id))) throw new AppError(unauthenticated);
  return user;
}
