import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import type { OneStatement } from "../../db/one-statement.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { usageEvents } from "./subscriptions.table.ts";

type UsageEvent = Omit<typeof usageEvents.$inferSelect, "id">;

const newUsageEvent = prepared((db, given: Given<UsageEvent>) => {
  const { userId, actionType, studyInstanceUID, timestamp } = given;
  return db.insert(usageEvents).values({ userId, actionType, studyInstanceUID, timestamp });
});

export async function insertUsageEvent(db: DbOrTx, event: UsageEvent): Promise<void> {
  await newUsageEvent(db, event);
}

type UsageOfStudies = Omit<UsageEvent, "studyInstanceUID"> & { studyInstanceUIDs: string[] };

/** `unnest` makes as many rows of the one that is written. */
const usageOfStudies = prepared((db, given: Given<UsageOfStudies>) => {
  const { userId, actionType, studyInstanceUIDs, timestamp } = given;
  const studyInstanceUID = sql`unnest(${studyInstanceUIDs}::text[])`;
  return db.insert(usageEvents).values({ userId, actionType, studyInstanceUID, timestamp });
});

/** Adds an event for each of the studies. */
export async function insertUsageOfStudies(tx: Tx | OneStatement, events: UsageOfStudies): Promise<void> {
  if (events.studyInstanceUIDs.length > 0) await usageOfStudies(tx, events);
}

export type UsageEventRow = typeof usageEvents.$inferSelect;

/** The newest activities of an account, or those before the row `beforeId`. */
export async function listUsageEvents(
  db: DbOrTx,
  userId: string,
  limit: number,
  beforeId: number | null = null,
): Promise<UsageEventRow[]> {
  const isBefore = beforeId === null ? undefined : lt(usageEvents.id, beforeId);
  return await db
    .select()
    .from(usageEvents)
    .where(and(eq(usageEvents.userId, userId), isBefore))
    .orderBy(desc(usageEvents.id))
    .limit(limit);
}
