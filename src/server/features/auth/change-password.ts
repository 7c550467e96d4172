import type { Tx } from "../../db/client.ts";
import { updateUser } from "../users/users.repo.ts";
import { revokeUserSessions } from "./auth.repo.ts";
import { hashPassword } from "./passwords.ts";
import { forgetDevices } from "./second-factor.repo.ts";

/** Sets a password; every session, viewer and remembered device of the account ends with the old one. */
export async function changePassword(tx: Tx, userId: string, password: string, now: Date): Promise<void> {
  await updateUser(tx, userId, { passwordHash: await hashPassword(password) });
  await revokeUserSessions(tx, userId, now);
  await forgetDevices(tx, userId);
}
