import type { Tx } from "../../../db/client.ts";
import { endAllAccess } from "../sessions/end-access.ts";
import { updateUser } from "../users/users.repo.ts";
import { hashPassword } from "./passwords.ts";

/**
 * Sets a password and ends every session, viewer, access token, mailed link and remembered device of the account. The account's row
 * must be locked.
 */
export async function changePassword(tx: Tx, userId: string, password: string, now: Date): Promise<void> {
  await updateUser(tx, userId, { passwordHash: await hashPassword(password) });
  await endAllAccess(tx, userId, now);
}
