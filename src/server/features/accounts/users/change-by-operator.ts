import type { Db } from "../../../db/client.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { changeAddress } from "../addresses/change-address.ts";
import { deleteStops } from "../addresses/email-stops.repo.ts";
import { deleteFactors } from "../factors/factors.repo.ts";
import { changePassword } from "../passwords/change-password.ts";
import { endAllAccess } from "../sessions/end-access.ts";
import { lockUser, updateUser } from "./users.repo.ts";

export interface OperatorChange {
  password?: string;
  email?: string;
  skipsTwoFactor?: boolean;
}

/**
 * Applies the operator's changes from the command line at once. Ends every session, mailed link and remembered device of the
 * account, and the links of its own pending changes of address. Returns `false` if the address belongs to another account.
 */
export async function changeByOperator(
  db: Db,
  userId: string,
  change: OperatorChange,
  now: Date,
): Promise<boolean> {
  const { password, email, skipsTwoFactor } = change;
  const audit = { at: now, actorId: null, accountId: userId, details: { by: "operator" } };
  return await db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) return false;
    if (email !== undefined) {
      if (!(await changeAddress(tx, userId, { email, isProven: false }, now))) return false;
      await recordAudit(tx, { ...audit, action: "email.changed" });
    }
    if (password !== undefined) {
      await changePassword(tx, userId, password, now);
      await recordAudit(tx, { ...audit, action: "password.changed" });
    }
    if (skipsTwoFactor !== undefined) {
      await updateUser(tx, userId, { skipsTwoFactor });
      // The operator turns two-factor off for users who lost their factors. These are deleted too, or sign-in would still ask
      // for them.
      if (skipsTwoFactor) await deleteFactors(tx, userId);
      await recordAudit(tx, { ...audit, action: skipsTwoFactor ? "two_factor.off" : "two_factor.on" });
    }
    await endAllAccess(tx, userId, now);
    await deleteStops(tx, userId);
    return true;
  });
}
