import type { Tx } from "../../../db/client.ts";
import { endLinksAndDevices } from "../sessions/end-access.ts";
import { updateUser } from "../users/users.repo.ts";
import { claimAddress } from "./claim-address.ts";

interface NewAddress {
  email: string;
  /** Whether the user opened a link mailed to this address. */
  isProven: boolean;
}

/**
 * Changes an account's address and ends every mailed link and remembered device. Returns `false` if the address belongs to
 * another account. The account's row must be locked.
 */
export async function changeAddress(
  tx: Tx,
  userId: string,
  { email, isProven }: NewAddress,
  now: Date,
): Promise<boolean> {
  if (!(await claimAddress(tx, email, userId, now))) return false;
  await updateUser(tx, userId, { email, emailProvenAt: isProven ? now : null });
  await endLinksAndDevices(tx, userId);
  return true;
}
