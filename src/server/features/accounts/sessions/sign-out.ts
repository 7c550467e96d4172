import type { Deps } from "../../../deps.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import type { Session } from "../../../http/session.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { revokeSession } from "./sessions.repo.ts";

/** Ends a session and every viewer and download token created in it. */
export async function signOut(
  deps: Pick<Deps, "db" | "clock">,
  session: Session,
  origin: RequestOrigin,
): Promise<void> {
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    await revokeSession(tx, session.id, now);
    const { userId } = session;
    await recordAudit(tx, {
      at: now,
      action: "session.closed",
      actorId: userId,
      accountId: userId,
      ...origin,
    });
  });
}
