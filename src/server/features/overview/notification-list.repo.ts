import { and, desc, eq, isNull, ne, or } from "drizzle-orm";
import { MAX_NOTIFICATIONS } from "../../../shared/api/notifications.ts";
import type { DbOrTx } from "../../db/client.ts";
import { users } from "../accounts/users/users.table.ts";
import { notifications } from "../notifications/notifications.table.ts";
import { type Caller, visibleTo } from "../studies/studies.repo.ts";
import { studies } from "../studies/studies.table.ts";

/**
 * What an account is told, the newest first. What is about a study that it may not see any more is left out, and a failed transfer
 * that has succeeded since.
 */
export async function listVisibleNotifications(db: DbOrTx, caller: Caller) {
  return await db
    .select({ told: notifications, description: studies.description, actorName: users.name })
    .from(notifications)
    .leftJoin(studies, and(eq(studies.id, notifications.studyId), visibleTo(caller)))
    .leftJoin(users, eq(users.id, notifications.actorId))
    .where(
      and(
        eq(notifications.userId, caller.userId),
        or(isNull(notifications.studyId), eq(studies.id, notifications.studyId)),
        or(ne(notifications.event, "transfer.failed"), eq(studies.storageStatus, "error")),
      ),
    )
    .orderBy(desc(notifications.at), notifications.id)
    .limit(MAX_NOTIFICATIONS);
}
