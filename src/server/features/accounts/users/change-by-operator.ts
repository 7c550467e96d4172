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
 * What the operator sets on the command line, at once: every session, mailed link and remembered device of the
 * account ends, and links that its own changes of address left behind too. `false` where the address is another's.
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
      // Off is for who lost them: what they set up goes too, or it would still be asked for.
      if (skipsTwoFactor) await deleteFactors(tx, userId);
      await recordAudit(tx, { ...audit, action: skipsTwoFactor ? "two_factor.off" : "two_factor.on" });
    }
    await endAllAccess(tx, userId, now);
    await deleteStops(tx, userId);
    return true;
  });
}
