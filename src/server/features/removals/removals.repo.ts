import { and, desc, eq, exists, gt, inArray, isNotNull, isNull, lte, ne, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { DbOrTx, Tx } from "../../db/client.ts";
import type { DiscardedObject } from "../../holdings/objects/discard-objects.ts";
import { users } from "../accounts/users/users.table.ts";
import { labExams } from "../labs/labs.table.ts";
import { isKept } from "../studies/studies.repo.ts";
import { storedObjects, studies } from "../studies/studies.table.ts";
import { plans, subscriptions } from "../subscriptions/subscriptions.table.ts";
import { type RemovalRow, removals } from "./removals.table.ts";

const isKeptLab = isNull(labExams.removalId);
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

/** The row, locked until the transaction ends: an undo and a purge never meet. */
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

/** Those that can still be undone, the most urgent first. */
export async function listOpenRemovalRows(db: DbOrTx, limit: number): Promise<RemovalWithUser[]> {
  return await db
    .select({ removal: removals, user: { id: users.id, name: users.name, email: users.email } })
    .from(removals)
    .innerJoin(users, eq(users.id, removals.userId))
    .where(isOpen)
    .orderBy(removals.purgeAfter, removals.id)
    .limit(limit);
}

/**
 * Takes everything an account keeps out of sight, as `removal`, and answers it with what it took. The subscription
 * must be locked: it is what an upload takes first.
 */
export async function insertRemoval(
  tx: Tx,
  removal: Omit<typeof removals.$inferInsert, "studyCount" | "labExamCount">,
): Promise<RemovalRow> {
  const { id, userId } = removal;
  await tx.insert(removals).values({ ...removal, studyCount: 0, labExamCount: 0 });
  const ofAccount = and(isKept, eq(studies.accountId, userId));
  // In the order in which transfers lock them.
  await tx.select({ id: studies.id }).from(studies).where(ofAccount).orderBy(studies.id).for("update");
  const taken = await tx
    .update(studies)
    .set({ removalId: id })
    .where(ofAccount)
    .returning({ id: studies.id });
  const takenLabs = await tx
    .update(labExams)
    .set({ removalId: id })
    .where(and(isKeptLab, eq(labExams.accountId, userId)))
    .returning({ id: labExams.id });
  const [row] = await tx
    .update(removals)
    .set({ studyCount: taken.length, labExamCount: takenLabs.length })
    .where(eq(removals.id, id))
    .returning();
  if (!row) throw new Error("the removal was not inserted");
  return row;
}

/** Brings the exams of a removal back, but for studies that the account has uploaded again meanwhile. */
export async function bringBack(
  tx: Tx,
  removalId: string,
): Promise<{ studies: number; labExams: number; skippedStudies: number }> {
  const removed = await tx
    .select({ id: studies.id })
    .from(studies)
    .where(eq(studies.removalId, removalId))
    .orderBy(studies.id)
    .for("update");
  const again = alias(studies, "again");
  const uploadedAgain = tx
    .select({ id: again.id })
    .from(again)
    .where(
      and(
        eq(again.accountId, studies.accountId),
        eq(again.studyInstanceUID, studies.studyInstanceUID),
        isNull(again.removalId),
      ),
    );
  const back = await tx
    .update(studies)
    .set({ removalId: null })
    .where(and(eq(studies.removalId, removalId), sql`not ${exists(uploadedAgain)}`))
    .returning({ id: studies.id });
  const labsBack = await tx
    .update(labExams)
    .set({ removalId: null })
    .where(eq(labExams.removalId, removalId))
    .returning({ id: labExams.id });
  return {
    studies: back.length,
    labExams: labsBack.length,
    skippedStudies: removed.length - back.length,
  };
}

/**
 * Ids, in order and behind `afterId`, of removals whose time is over and whose exams are not all gone: never begun,
 * broken off, or undone but for studies that had been uploaded again.
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

/** Deletes up to `limit` studies of a removal and answers what they stored; `undefined` where none is left. */
export async function deleteRemovedStudies(
  tx: Tx,
  removalId: string,
  limit: number,
): Promise<DiscardedObject[] | undefined> {
  const rows = await tx
    .select({ id: studies.id })
    .from(studies)
    .where(eq(studies.removalId, removalId))
    .orderBy(studies.id)
    .limit(limit)
    .for("update");
  if (rows.length === 0) return undefined;
  const ids = rows.map((row) => row.id);
  const objects = await tx
    .select({ key: storedObjects.key, stagedOn: storedObjects.stagedOn })
    .from(storedObjects)
    .where(inArray(storedObjects.studyId, ids));
  await tx.delete(studies).where(inArray(studies.id, ids));
  return objects;
}

/** Deletes up to `limit` lab exams of a removal and answers what they stored; `undefined` where none is left. */
export async function deleteRemovedLabExams(
  tx: Tx,
  removalId: string,
  limit: number,
): Promise<DiscardedObject[] | undefined> {
  const some = tx
    .select({ id: labExams.id })
    .from(labExams)
    .where(eq(labExams.removalId, removalId))
    .orderBy(labExams.id)
    .limit(limit);
  const rows = await tx.delete(labExams).where(inArray(labExams.id, some)).returning({ key: labExams.key });
  return rows.length === 0 ? undefined : rows.map(({ key }) => ({ key, stagedOn: null }));
}

export interface LapsingAccount {
  userId: string;
  expiresAt: Date;
}

/**
 * Accounts, in order and behind `afterUserId`, that keep exams although their subscription ended before
 * `endedBefore`. None of an admin, nor of the plan Cortesia.
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
    .where(and(isKept, eq(studies.accountId, subscriptions.userId)));
  const ofLab = db
    .select({ id: labExams.id })
    .from(labExams)
    .where(and(isKeptLab, eq(labExams.accountId, subscriptions.userId)));
  return or(exists(ofImaging), exists(ofLab));
}

/** What an account keeps in sight. */
export async function countKeptExams(
  db: DbOrTx,
  userId: string,
): Promise<{ studies: number; labExams: number }> {
  return {
    studies: await db.$count(studies, and(isKept, eq(studies.accountId, userId))),
    labExams: await db.$count(labExams, and(isKeptLab, eq(labExams.accountId, userId))),
  };
}
