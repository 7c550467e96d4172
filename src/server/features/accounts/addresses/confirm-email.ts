import type { Deps } from "../../../deps.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { findLinkOwner, takeLink } from "../mailed-links/mailed-links.repo.ts";
import { hashSecret } from "../mailed-links/secrets.ts";
import { lockUser } from "../users/users.repo.ts";
import { changeAddress } from "./change-address.ts";

/**
 * Makes a new e-mail address take effect and ends every other link and every remembered device. Returns `false` if the link
 * is invalid or the address was taken in the meantime.
 */
export async function confirmEmail(
  deps: Pick<Deps, "db" | "clock">,
  token: string,
  origin: RequestOrigin,
): Promise<boolean> {
  const { db, clock } = deps;
  const now = clock.now();
  const tokenHash = hashSecret(token);
  return await db.transaction(async (tx) => {
    const userId = await findLinkOwner(tx, tokenHash, ["email"], now);
    if (!userId || !(await lockUser(tx, userId))) return false;
    const link = await takeLink(tx, tokenHash, ["email"], now);
    if (!link?.newEmail) return false;
    if (!(await changeAddress(tx, userId, { email: link.newEmail, isProven: true }, now))) return false;
    await recordAudit(tx, {
      at: now,
      action: "email.changed",
      actorId: userId,
      accountId: userId,
      ...origin,
    });
    return true;
  });
}
