import { and, desc, eq, exists, gt, isNotNull, isNull, lte, ne, or } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { users } from "../accounts/users/users.table.ts";
import { labExams } from "../labs/labs.table.ts";
import { studies } from "../studies/studies.table.ts";
import { plans, subscriptions } from "../subscriptions/subscriptions.table.ts";
import { type RemovalRow, removals } from "./removals.table.ts";

const isOpen = and(isNull(removals.undoneAt), isNull(removals.purgedAt));

/** The account's last removal that can still be undone. */
export async function findOpenRemoval(db: DbOrTx, userId: string): Promise<RemovalRow | undefined> {
  const [row] = await db
    .select()
    .from(removals)
    .where(and(eq(removals.userId, userId), isOpen))
    .orderBy(desc(removals.id))
    .limit(1);
  return row;
}

/** An account's removals whose exams may still be there, by id. */
export async function listUnpurgedRemovals(db: DbOrTx, userId: string): Promise<Map<string, RemovalRow>> {
  const rows = await db
    .select()
    .from(removals)
    .where(and(eq(removals.userId, userId), isNull(removals.purgedAt)));
  return new Map(rows.map((row) => [row.id, row]));
}

export async function findRemoval(db: DbOrTx, id: string): Promise<RemovalRow | undefined> {
  const [row] = await db.select().from(removals).where(eq(removals.id, id));
  return row;
}

/** The row, locked until the transaction ends, so that an undo and a purge never overlap. */
export async function lockRemoval(tx: Tx, id: string): Promise<RemovalRow | undefined> {
  const [row] = await tx.select().from(removals).where(eq(removals.id, id)).for("update");
  return row;
}

export async function updateRemoval(
  tx: Tx,
  id: string,
  values: Partial<typeof removals.$inferInsert>,
): Promise<void> {
  await tx.update(removals).set(values).where(eq(removals.id, id));
}

export interface RemovalWithUser {
  removal: RemovalRow;
  user: { id: string; name: string; email: string };
}

/** The removals that can still be undone, most urgent first. */
export async function listOpenRemovalRows(db: DbOrTx, limit: number): Promise<RemovalWithUser[]> {
  return await db
    .select({ removal: removals, user: { id: users.id, name: users.name, email: users.email } })
    .from(removals)
    .innerJoin(users, eq(users.id, removals.userId))
    .where(isOpen)
    .orderBy(removals.purgeAfter, removals.id)
    .limit(limit);
}

export async function insertRemoval(tx: Tx, removal: typeof removals.$inferInsert): Promise<RemovalRow> {
  const [row] = await tx.insert(removals).values(removal).returning();
  if (!row) throw new Error("the removal was not inserted");
  return row;
}

/**
 * Ids after `afterId`, in order, of removals whose grace time is over and that still have exams: not purged yet, interrupted,
 * or undone except for studies that had been uploaded again.
 */
export async function listDueRemovals(
  db: DbOrTx,
  now: Date,
  afterId: string | null,
  limit: number,
): Promise<string[]> {
  const leftStudies = db.select({ id: studies.id }).from(studies).where(eq(studies.removalId, removals.id));
  const leftLabs = db.select({ id: labExams.id }).from(labExams).where(eq(labExams.removalId, removals.id));
  const rows = await db
    .select({ id: removals.id })
    .from(removals)
    .where(
      and(
        lte(removals.purgeAfter, now),
        afterId === null ? undefined : gt(removals.id, afterId),
        or(isOpen, exists(leftStudies), exists(leftLabs)),
      ),
    )
    .orderBy(removals.id)
    .limit(limit);
  return rows.map((row) => row.id);
}

export interface LapsingAccount {
  userId: string;
  expiresAt: Date;
}

/**
 * Accounts after `afterUserId`, in order, that store exams although their subscription ended before `endedBefore`. Admins and
 * accounts on the plan Cortesia are left out.
 */
export async function listLapsingAccounts(
  db: DbOrTx,
  endedBefore: Date,
  afterUserId: string | null,
  limit: number,
): Promise<LapsingAccount[]> {
  const rows = await db
    .select({ userId: subscriptions.userId, expiresAt: subscriptions.expiresAt })
    .from(subscriptions)
    .innerJoin(users, eq(users.id, subscriptions.userId))
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(
      and(
        isNotNull(subscriptions.expiresAt),
        lte(subscriptions.expiresAt, endedBefore),
        ne(users.role, "admin"),
        ne(plans.slug, "cortesia"),
        keepsExams(db),
        afterUserId === null ? undefined : gt(subscriptions.userId, afterUserId),
      ),
    )
    .orderBy(subscriptions.userId)
    .limit(limit);
  return rows.flatMap(({ userId, expiresAt }) => (expiresAt === null ? [] : { userId, expiresAt }));
}

function keepsExams(db: DbOrTx) {
  const ofImaging = db
    .select({ id: studies.id })
    .from(studies)
    .where(and(isKept(studies), eq(studies.accountId, subscriptions.userId)));
  const ofLab = db
    .select({ id: labExams.id })
    .from(labExams)
    .where(and(isKept(labExams), eq(labExams.accountId, subscriptions.userId)));
  return or(exists(ofImaging), exists(ofLab));
}

/** Counts an account's visible exams. */
export async function countKeptExams(
  db: DbOrTx,
  userId: string,
): Promise<{ studies: number; labExams: number }> {
  return {
    studies: await db.$count(studies, and(isKept(studies), eq(studies.accountId, userId))),
    labExams: await db.$count(labExams, and(isKept(labExams), eq(labExams.accountId, userId))),
  };
}
