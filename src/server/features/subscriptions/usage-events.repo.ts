import { desc, eq } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import type { OneStatement } from "../../db/one-statement.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { usageEvents } from "./subscriptions.table.ts";

type UsageEvent = Omit<typeof usageEvents.$inferSelect, "id">;

const newUsageEvent = prepared((db, given: Given<UsageEvent>) => {
  const { userId, actionType, studyInstanceUID, timestamp } = given;
  return db.insert(usageEvents).values({ userId, actionType, studyInstanceUID, timestamp });
});

export async function insertUsageEvent(db: DbOrTx | OneStatement, event: UsageEvent): Promise<void> {
  await newUsageEvent(db, event);
}

/** The newest activities of an account. */
export async function listUsageEvents(
  db: DbOrTx,
  userId: string,
  limit: number,
): Promise<(typeof usageEvents.$inferSelect)[]> {
  return await db
    .select()
    .from(usageEvents)
    .where(eq(usageEvents.userId, userId))
    .orderBy(desc(usageEvents.id))
    .limit(limit);
}
