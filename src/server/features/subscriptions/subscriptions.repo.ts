import { and, eq, gt, isNull, lte, or, type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { actionPeriodDays } from "../../../shared/rules/subscription.ts";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { storedBytes } from "./storage.repo.ts";
import { plans, subscriptions } from "./subscriptions.table.ts";

export type PlanRow = typeof plans.$inferSelect;
export type SubscriptionRow = typeof subscriptions.$inferSelect;
export type ActionKind = "download" | "delete";

export async function findSubscription(db: DbOrTx, userId: string): Promise<SubscriptionRow | undefined> {
  const [row] = await db.select().from(subscriptions).where(eq(subscriptions.userId, userId));
  return row;
}

export async function findSubscriptionWithPlan(
  db: DbOrTx,
  userId: string,
): Promise<{ subscription: SubscriptionRow; plan: PlanRow } | undefined> {
  const [row] = await db
    .select({ subscription: subscriptions, plan: plans })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(eq(subscriptions.userId, userId));
  return row;
}

export async function findPlanBySlug(db: DbOrTx, slug: string): Promise<PlanRow | undefined> {
  const [row] = await db.select().from(plans).where(eq(plans.slug, slug));
  return row;
}

export async function findPlan(db: DbOrTx, id: string): Promise<PlanRow | undefined> {
  const [row] = await db.select().from(plans).where(eq(plans.id, id));
  return row;
}

/** A plan that can be chosen. */
export async function findOfferedPlan(db: DbOrTx, id: string): Promise<PlanRow | undefined> {
  const [row] = await db
    .select()
    .from(plans)
    .where(and(eq(plans.id, id), eq(plans.isOffered, true)));
  return row;
}

/** The plans that can be chosen, smallest first. */
export async function listOfferedPlans(db: DbOrTx): Promise<PlanRow[]> {
  return await db
    .select()
    .from(plans)
    .where(eq(plans.isOffered, true))
    .orderBy(plans.examLimit, plans.priceCents);
}

/** Every plan with the number of accounts on it at `now`, smallest first. */
export async function listPlansWithUse(
  db: DbOrTx,
  now: Date,
): Promise<{ plan: PlanRow; activeUsers: number }[]> {
  const inUse = and(eq(subscriptions.planId, plans.id), isActiveAt(now));
  return await db
    .select({ plan: plans, activeUsers: db.$count(subscriptions, inUse) })
    .from(plans)
    .orderBy(plans.isOffered, plans.examLimit, plans.priceCents);
}

/** The row, locked until the transaction ends. */
export async function lockPlan(tx: Tx, id: string): Promise<PlanRow | undefined> {
  const [row] = await tx.select().from(plans).where(eq(plans.id, id)).for("update");
  return row;
}

export async function updatePlan(
  tx: Tx,
  id: string,
  values: Partial<Omit<PlanRow, "id" | "slug">>,
): Promise<void> {
  await tx.update(plans).set(values).where(eq(plans.id, id));
}

/** Inserts plans that do not exist yet; an admin's edits stay. */
export async function insertMissingPlans(db: DbOrTx, rows: (typeof plans.$inferInsert)[]): Promise<void> {
  await db.insert(plans).values(rows).onConflictDoNothing({ target: plans.slug });
}

export async function upsertSubscription(db: DbOrTx, row: typeof subscriptions.$inferInsert): Promise<void> {
  await db
    .insert(subscriptions)
    .values(row)
    .onConflictDoUpdate({
      target: subscriptions.userId,
      set: {
        planId: row.planId,
        status: row.status,
        startDate: row.startDate,
        expiresAt: row.expiresAt ?? null,
      },
    });
}

export async function updateSubscription(
  db: DbOrTx,
  userId: string,
  values: Partial<typeof subscriptions.$inferInsert>,
): Promise<void> {
  await db.update(subscriptions).set(values).where(eq(subscriptions.userId, userId));
}

const subscriptionForUpdate = prepared((db, given: Given<{ userId: string }>) =>
  db.select().from(subscriptions).where(eq(subscriptions.userId, given.userId)).for("update"),
);

/** The row, locked until the transaction ends. */
export async function lockSubscription(tx: Tx, userId: string): Promise<SubscriptionRow | undefined> {
  const [row] = await subscriptionForUpdate(tx, { userId });
  return row;
}

/** Stores the plan that an account without one chose last; it begins once it is paid. An account with a plan stays unchanged. */
export async function insertPendingSubscription(
  tx: Tx,
  { userId, planId, now }: { userId: string; planId: string; now: Date },
): Promise<void> {
  await tx
    .insert(subscriptions)
    .values({
      id: Bun.randomUUIDv7(),
      userId,
      planId,
      status: "pending",
      startDate: now,
      lastResetDate: now,
    })
    .onConflictDoUpdate({
      target: subscriptions.userId,
      set: { planId },
      setWhere: eq(subscriptions.status, "pending"),
    });
}

/** Puts an account on a plan from now on. Stored exams stay counted; the month's counters start over if `resetsCounters`. */
export async function putOnPlan(
  tx: Tx,
  to: { userId: string; planId: string; expiresAt: Date | null; now: Date; resetsCounters: boolean },
): Promise<void> {
  const { userId, planId, expiresAt, now, resetsCounters } = to;
  const begun = { planId, status: "active", startDate: now, expiresAt } as const;
  const zero = { downloads: 0, deletes: 0, labDownloads: 0, labDeletes: 0, lastResetDate: now };
  await tx
    .insert(subscriptions)
    .values({ id: Bun.randomUUIDv7(), userId, ...begun, ...zero })
    .onConflictDoUpdate({ target: subscriptions.userId, set: { ...begun, ...(resetsCounters && zero) } });
}

function inForce(userId: string | Placeholder, now: Date | SQLWrapper): SQL | undefined {
  return and(eq(subscriptions.userId, userId), isActiveAt(now));
}

/** As {@link isInForce} of the rules. */
export function isActiveAt(now: Date | SQLWrapper): SQL | undefined {
  return and(
    eq(subscriptions.status, "active"),
    or(isNull(subscriptions.expiresAt), gt(subscriptions.expiresAt, now)),
  );
}

export async function countActiveSubscriptions(db: DbOrTx, now: Date): Promise<number> {
  return await db.$count(subscriptions, isActiveAt(now));
}

/** An account's two archives, counted separately under the same limits. */
export type ExamKind = "imaging" | "lab";

const examColumns = { imaging: "examCount", lab: "labExamCount" } as const;
const actionColumns = {
  imaging: { download: "downloads", delete: "deletes" },
  lab: { download: "labDownloads", delete: "labDeletes" },
} as const;

type CounterColumn = "downloads" | "deletes" | "labDownloads" | "labDeletes";

interface AddedExams {
  userId: string;
  count: number;
  /** The bytes they add to storage, less what they replace. */
  bytes: number;
  now: Date;
}

const examsAdded = (kind: ExamKind) =>
  prepared((db, given: Given<AddedExams>) => {
    const column = examColumns[kind];
    const total = sql`${subscriptions[column]} + ${given.count}`;
    const now = sql.param(given.now, subscriptions.expiresAt);
    return db
      .update(subscriptions)
      .set({ [column]: total })
      .from(plans)
      .where(
        and(
          inForce(given.userId, now),
          eq(plans.id, subscriptions.planId),
          lte(total, plans.examLimit),
          sql`(${given.bytes}::bigint <= 0 or ${storedBytes(given.userId)} + ${given.bytes}::bigint <= ${plans.storageBytes})`,
        ),
      )
      .returning({ id: subscriptions.id });
  });
const examsAddedTo = { imaging: examsAdded("imaging"), lab: examsAdded("lab") };

/**
 * Adds `count` exams of `bytes` if the plan has room for all of them. One conditional update, safe under concurrency if the
 * transaction has locked the subscription and stored nothing before.
 */
export async function tryAddExams(db: DbOrTx, kind: ExamKind, exams: AddedExams): Promise<boolean> {
  const updated = await examsAddedTo[kind](db, exams);
  return updated.length === 1;
}

/** Counts restored exams, whatever the plan's limit. */
export async function addExams(
  tx: Tx,
  userId: string,
  counts: { imaging: number; lab: number },
): Promise<void> {
  await tx
    .update(subscriptions)
    .set({
      examCount: sql`${subscriptions.examCount} + ${counts.imaging}`,
      labExamCount: sql`${subscriptions.labExamCount} + ${counts.lab}`,
    })
    .where(eq(subscriptions.userId, userId));
}

export async function removeExams(db: DbOrTx, userId: string, kind: ExamKind, count: number): Promise<void> {
  const column = examColumns[kind];
  await db
    .update(subscriptions)
    .set({ [column]: sql`greatest(${subscriptions[column]} - ${count}, 0)` })
    .where(eq(subscriptions.userId, userId));
}

/**
 * Counts one download or deletion if the month has room for it. The same statement resets the counters 30 days after their
 * last reset.
 */
export async function tryCountAction(
  db: DbOrTx,
  userId: string,
  action: { exam: ExamKind; kind: ActionKind },
  now: Date,
): Promise<boolean> {
  const at = sql`${now.toISOString()}::timestamptz`;
  // In hours: with the time zone of the database's session, thirty days are not always 720 hours.
  const period = sql`make_interval(hours => ${actionPeriodDays * 24})`;
  const isOver = sql`${subscriptions.lastResetDate} + ${period} <= ${at}`;
  const periods = sql`floor(extract(epoch from ${at} - ${subscriptions.lastResetDate}) / extract(epoch from ${period}))`;
  const counted = actionColumns[action.exam][action.kind];
  const inPeriod = (column: CounterColumn): SQL =>
    sql`case when ${isOver} then 0 else ${subscriptions[column]} end + ${column === counted ? 1 : 0}`;
  const { download, delete: deletion } = actionColumns[action.exam];
  const used = sql`case when ${isOver} then 0 else ${subscriptions[download]} + ${subscriptions[deletion]} end`;
  const updated = await db
    .update(subscriptions)
    .set({
      downloads: inPeriod("downloads"),
      deletes: inPeriod("deletes"),
      labDownloads: inPeriod("labDownloads"),
      labDeletes: inPeriod("labDeletes"),
      lastResetDate: sql`case when ${isOver} then ${subscriptions.lastResetDate} + ${periods} * ${period}
        else ${subscriptions.lastResetDate} end`,
    })
    .from(plans)
    .where(
      and(
        inForce(userId, now),
        eq(plans.id, subscriptions.planId),
        sql`${used} < ${plans.downloadDeleteLimit}`,
      ),
    )
    .returning({ id: subscriptions.id });
  return updated.length === 1;
}
