import type { Locale } from "../../../../shared/locale.ts";
import type { Deps } from "../../../deps.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { updateUser } from "./users.repo.ts";

/** Records that a user accepted the terms of use, and the language in which they read them. */
export async function acceptTerms(
  deps: Pick<Deps, "db" | "clock">,
  { userId, locale }: { userId: string; locale: Locale },
  origin: RequestOrigin,
): Promise<{ termsAcceptedAt: string }> {
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    await updateUser(tx, userId, { termsAcceptedAt: now, locale });
    await recordAudit(tx, {
      at: now,
      action: "terms.accepted",
      actorId: userId,
      accountId: userId,
      ...origin,
    });
  });
  return { termsAcceptedAt: now.toISOString() };
}
