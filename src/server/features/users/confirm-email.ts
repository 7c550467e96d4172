import type { Deps } from "../../deps.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { takeLink } from "../auth/second-factor.repo.ts";
import { hashSecret } from "../auth/secrets.ts";
import { changeEmail } from "./users.repo.ts";

/** Makes a new e-mail address take effect; `false` for a dead link or an address taken meanwhile. */
export async function confirmEmail(
  deps: Pick<Deps, "db" | "clock">,
  token: string,
  origin: RequestOrigin,
): Promise<boolean> {
  const { db, clock } = deps;
  const now = clock.now();
  return await db.transaction(async (tx) => {
    const link = await takeLink(tx, hashSecret(token), now);
    if (link?.purpose !== "email" || !link.newEmail) return false;
    if (!(await changeEmail(tx, link.userId, link.newEmail))) return false;
    const { userId } = link;
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
