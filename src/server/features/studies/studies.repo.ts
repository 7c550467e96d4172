import { and, desc, eq, gt, inArray, or, type Placeholder, type SQL, sql, sum } from "drizzle-orm";
import type { KeptStudy } from "../../../shared/api/studies.ts";
import type { Role } from "../../../shared/api/users.ts";
import type { DbOrTx } from "../../db/client.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { users } from "../accounts/users/users.table.ts";
import { grants, type SeriesRow, type StudyRow, series, studies, studyTallies } from "./studies.table.ts";

/** The account that asks: every query below returns only what it may see. */
export interface Caller {
  userId: string;
  role: Role;
}

/**
 * The only definition of visibility: a caller sees their own and granted studies, an admin sees all, and nobody sees those that a
 * cancellation removed.
 */
export function visibleTo(caller: Caller): SQL | undefined {
  return caller.role === "admin" ? isKept(studies) : ownedByOrGrantedTo(caller.userId);
}

/** {@link visibleTo} for everyone except admins; takes a placeholder for prepared statements. */
export function ownedByOrGrantedTo(userId: string | Placeholder): SQL | undefined {
  return and(isKept(studies), or(eq(studies.accountId, userId), grantedTo(userId)));
}

/** {@link visibleTo} for the user whose row of `users` the same statement joins. */
export const visibleToJoinedUser = and(
  isKept(studies),
  or(
    eq(users.role, "admin"),
    eq(studies.accountId, users.id),
    sql`exists (select from ${grants} where ${grants.studyId} = ${studies.id} and ${grants.userId} = ${users.id})`,
  ),
);

/**
 * Of {@link visibleTo}, the caller's own studies; for an admin, all. Granted ones are parts of their own (`grantors.repo.ts`): an "or" over
 * both would leave no index that sorts.
 */
export function ownPart({ userId, role }: Caller): SQL | undefined {
  return role === "admin" ? isKept(studies) : and(isKept(studies), eq(studies.accountId, userId));
}

/** The tallies of the caller's own studies; for an admin, of all. */
export function talliesOf({ userId, role }: Caller): SQL {
  return role === "admin" ? sql`true` : eq(studyTallies.accountId, userId);
}

/** Looked up for each study that another condition finds, so that it costs the same however many a user was granted. */
export function grantedTo(userId: string | Placeholder): SQL {
  return sql`exists (select from ${grants} where ${grants.studyId} = ${studies.id} and ${grants.userId} = ${userId})`;
}

export async function findVisibleStudy(
  db: DbOrTx,
  caller: Caller,
  id: string,
): Promise<StudyRow | undefined> {
  const [row] = await db
    .select()
    .from(studies)
    .where(and(eq(studies.id, id), visibleTo(caller)));
  return row;
}

/** Visible studies with a Study Instance UID, in any account, the caller's own first; at most 20. */
export async function findVisibleStudiesByUID(
  db: DbOrTx,
  caller: Caller,
  studyInstanceUID: string,
): Promise<StudyRow[]> {
  return await db
    .select()
    .from(studies)
    .where(and(eq(studies.studyInstanceUID, studyInstanceUID), visibleTo(caller)))
    .orderBy(desc(eq(studies.accountId, caller.userId)), studies.id)
    .limit(20);
}

/** One visible study of each of these Study Instance UIDs, by UID; the caller's own, if they have it. */
export async function findVisibleStudiesByUIDs(
  db: DbOrTx,
  caller: Caller,
  uids: readonly string[],
): Promise<ReadonlyMap<string, StudyRow>> {
  if (uids.length === 0) return new Map();
  const rows = await db
    .selectDistinctOn([studies.studyInstanceUID])
    .from(studies)
    .where(and(inArray(studies.studyInstanceUID, [...uids]), visibleTo(caller)))
    .orderBy(studies.studyInstanceUID, desc(eq(studies.accountId, caller.userId)), studies.id);
  return new Map(rows.map((row) => [row.studyInstanceUID, row]));
}

/** Counts the studies that an account keeps. */
export async function countOwnStudies(db: DbOrTx, userId: string): Promise<number> {
  return await sumTallies(db, eq(studyTallies.accountId, userId));
}

/** The account's own kept studies among these UIDs. */
export async function listOwnStudies(
  db: DbOrTx,
  userId: string,
  uids: readonly string[],
): Promise<KeptStudy[]> {
  const rows = await db
    .select({
      id: studies.id,
      studyInstanceUID: studies.studyInstanceUID,
      imagesReceived: studies.instanceCount,
      createdAt: studies.createdAt,
    })
    .from(studies)
    .where(and(isKept(studies), eq(studies.accountId, userId), inArray(studies.studyInstanceUID, [...uids])));
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
}

/** Counts the studies that all accounts keep. */
export async function countStudiesOfAll(db: DbOrTx): Promise<number> {
  return await sumTallies(db, undefined);
}

async function sumTallies(db: DbOrTx, condition: SQL | undefined): Promise<number> {
  const [row] = await db
    .select({ studies: sum(studyTallies.studies).mapWith(Number) })
    .from(studyTallies)
    .where(condition);
  return row?.studies ?? 0;
}

/** The series of a study, by SeriesNumber. */
export async function listSeries(db: DbOrTx, studyId: string, limit?: number): Promise<SeriesRow[]> {
  const all = db
    .select()
    .from(series)
    .where(eq(series.studyId, studyId))
    .orderBy(sql`${series.seriesNumber} nulls last`, series.seriesInstanceUID);
  return limit === undefined ? await all : await all.limit(limit);
}

/** The series of some studies, each study's by SeriesNumber; at most 10,000. */
export async function listSeriesOf(db: DbOrTx, studyIds: string[]): Promise<SeriesRow[]> {
  if (studyIds.length === 0) return [];
  return await db
    .select()
    .from(series)
    .where(inArray(series.studyId, studyIds))
    .orderBy(series.studyId, sql`${series.seriesNumber} nulls last`, series.seriesInstanceUID)
    .limit(10_000);
}

/** The study row, locked until the transaction ends. */
export async function lockStudy(tx: DbOrTx, id: string): Promise<StudyRow | undefined> {
  const [row] = await tx
    .select()
    .from(studies)
    .where(and(isKept(studies), eq(studies.id, id)))
    .for("update");
  return row;
}

export async function deleteStudyRow(tx: DbOrTx, id: string): Promise<void> {
  await tx.delete(studies).where(eq(studies.id, id));
}

/** Records for the list whether a report is attached; the study must be locked. */
export async function setHasReport(tx: DbOrTx, id: string, hasReport: boolean): Promise<void> {
  await tx.update(studies).set({ hasReport, labelled: false }).where(eq(studies.id, id));
}

export async function insertGrant(
  db: DbOrTx,
  grant: { studyId: string; userId: string; grantedBy: string; createdAt: Date },
): Promise<boolean> {
  const rows = await db
    .insert(grants)
    .values(grant)
    .onConflictDoNothing()
    .returning({ studyId: grants.studyId });
  return rows.length === 1;
}

/** Records that a user who sees a study by a grant is asked for a report. */
export async function askForReport(db: DbOrTx, studyId: string, userId: string, now: Date): Promise<void> {
  await db
    .update(grants)
    .set({ reportAskedAt: now })
    .where(and(eq(grants.studyId, studyId), eq(grants.userId, userId)));
}

/** Records that a user opened studies; their own have no grant and stay as they are. */
export async function noteSeen(db: DbOrTx, userId: string, studyIds: string[], now: Date): Promise<void> {
  await db
    .update(grants)
    .set({ seenAt: now })
    .where(and(inArray(grants.studyId, studyIds), eq(grants.userId, userId)));
}

export async function deleteGrant(db: DbOrTx, studyId: string, userId: string): Promise<boolean> {
  const rows = await db
    .delete(grants)
    .where(and(eq(grants.studyId, studyId), eq(grants.userId, userId)))
    .returning({ studyId: grants.studyId });
  return rows.length === 1;
}

export interface GrantRow {
  userId: string;
  name: string;
  email: string;
  role: Role;
  createdAt: Date;
}

/** The users to whom a study is granted; at most 1,000. */
export async function listGrants(db: DbOrTx, studyId: string): Promise<GrantRow[]> {
  return await db
    .select({
      userId: users.id,
      name: users.name,
      email: users.email,
      role: users.role,
      createdAt: grants.createdAt,
    })
    .from(grants)
    .innerJoin(users, eq(users.id, grants.userId))
    .where(eq(grants.studyId, studyId))
    .orderBy(grants.createdAt)
    .limit(1000);
}

/** Studies that others granted to a user, by time; at most 10,000. */
export async function listGrantsTo(db: DbOrTx, userId: string) {
  return await db
    .select({ studyId: grants.studyId, ownerName: users.name, createdAt: grants.createdAt })
    .from(grants)
    .innerJoin(studies, eq(studies.id, grants.studyId))
    .innerJoin(users, eq(users.id, studies.accountId))
    .where(and(isKept(studies), eq(grants.userId, userId)))
    .orderBy(grants.createdAt)
    .limit(10_000);
}

/** Among `ids`, the studies the caller may see. */
export async function findVisibleStudies(db: DbOrTx, caller: Caller, ids: string[]): Promise<StudyRow[]> {
  if (ids.length === 0) return [];
  return await db
    .select()
    .from(studies)
    .where(and(inArray(studies.id, ids), visibleTo(caller)));
}

/** An account's own studies after `after`, by id, including those that wait to be purged, since their bytes still exist. */
export async function listStudiesAfter(
  db: DbOrTx,
  accountId: string,
  after: string | null,
  limit: number,
): Promise<StudyRow[]> {
  return await db
    .select()
    .from(studies)
    .where(and(eq(studies.accountId, accountId), after === null ? undefined : gt(studies.id, after)))
    .orderBy(studies.id)
    .limit(limit);
}

/** Counts the instances of all studies that {@link listStudiesAfter} returns. */
export async function countInstancesOf(db: DbOrTx, accountId: string): Promise<number> {
  const [row] = await db
    .select({ instances: sum(studies.instanceCount).mapWith(Number) })
    .from(studies)
    .where(eq(studies.accountId, accountId));
  return row?.instances ?? 0;
}

/** Ids after `afterStudyId`, in order, of archived studies that meet a condition. Cancelled ones are included. */
export async function listArchivedStudies(
  db: DbOrTx,
  condition: SQL | undefined,
  afterStudyId: string | null,
  limit: number,
): Promise<string[]> {
  const isAfter = afterStudyId === null ? undefined : gt(studies.id, afterStudyId);
  const rows = await db
    .select({ id: studies.id })
    .from(studies)
    .where(and(eq(studies.storageStatus, "b2"), isAfter, condition))
    .orderBy(studies.id)
    .limit(limit);
  return rows.map((row) => row.id);
}
