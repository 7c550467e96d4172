import type { Tx } from "../../../db/client.ts";
import { endLinksAndDevices } from "../sessions/end-access.ts";
import { updateUser } from "../users/users.repo.ts";
import { claimAddress } from "./claim-address.ts";

/**
 * Gives an account another address: every mailed link and remembered device ends with the old one. `false` where
 * the address is another's. The account's row must be locked.
 */
export async function changeAddress(tx: Tx, userId: string, email: string, now: Date): Promise<boolean> {
  if (!(await claimAddress(tx, email, userId, now))) return false;
  await updateUser(tx, userId, { email });
  await endLinksAndDevices(tx, userId);
  return true;
}
