import type { Locale } from "../../../../shared/locale.ts";
import type { Deps } from "../../../deps.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { lockUser, updateUser } from "./users.repo.ts";

/**
 * Records that a user accepted the terms of use, and the language in which they read them. The first acceptance stays the one that
 * counts when a second tab or a repeated call accepts again.
 */
export async function acceptTerms(
  deps: Pick<Deps, "db" | "clock">,
  { userId, locale }: { userId: string; locale: Locale },
  origin: RequestOrigin,
): Promise<{ termsAcceptedAt: string }> {
  const now = deps.clock.now();
  return await deps.db.transaction(async (tx) => {
    const before = (await lockUser(tx, userId))?.termsAcceptedAt;
    await updateUser(tx, userId, { termsAcceptedAt: before ?? now, locale });
    if (!before) {
      await recordAudit(tx, {
        at: now,
        action: "terms.accepted",
        actorId: userId,
        accountId: userId,
        ...origin,
      });
    }
    return { termsAcceptedAt: (before ?? now).toISOString() };
  });
}
