import type { Tx } from "../../../db/client.ts";
import { AppError } from "../../../http/app-error.ts";
import { notAuthorized, wrongCredentials } from "../accounts.errors.ts";
import { lockUser } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";

/**
 * Locks a user's row and makes sure that their proof still holds: the password and address must not have changed since `user`
 * was read.
 * @throws {AppError} `auth.wrong_credentials`, `auth.not_authorized`
 */
export async function lockUnchanged(tx: Tx, user: UserRow): Promise<UserRow> {
  const now = await lockUser(tx, user.id);
  if (!now || now.passwordHash !== user.passwordHash || now.email !== user.email)
    throw new AppError(wrongCredentials);
  if (!now.isAuthorized) throw new AppError(notAuthorized);
  return now;
}
