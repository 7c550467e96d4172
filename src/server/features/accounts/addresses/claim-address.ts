import type { Tx } from "../../../db/client.ts";
import { findUserByEmail, lockAddress } from "../users/users.repo.ts";
import { isKeptForAnother } from "./email-stops.repo.ts";

/**
 * Reserves an e-mail address for an account until the transaction ends; concurrent claims wait. Returns `false` if another
 * account has the address, or gave it up recently and may still take it back.
 */
export async function claimAddress(tx: Tx, email: string, userId: string, now: Date): Promise<boolean> {
  await lockAddress(tx, email);
  const holder = await findUserByEmail(tx, email);
  if (holder && holder.id !== userId) return false;
  return !(await isKeptForAnother(tx, email, userId, now));
}
