import type { Tx } from "../../../db/client.ts";
import { AppError } from "../../../http/app-error.ts";
import { notAuthorized, wrongCredentials } from "../accounts.errors.ts";
import { lockUser } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";

/**
 * Locks somebody's row and makes sure that what they have just proven still holds: a password or an address that
 * changed since `user` was read opens nothing.
 * @throws {AppError} `auth.wrong_credentials`, `auth.not_authorized`
 */
export async function lockUnchanged(tx: Tx, user: UserRow): Promise<UserRow> {
  const now = await lockUser(tx, user.id);
  if (!now || now.passwordHash !== user.passwordHash || now.email !== user.email)
    throw new AppError(wrongCredentials);
  if (!now.isAuthorized) throw new AppError(notAuthorized);
  return now;
}
