import {
  and,
  asc,
  desc,
  eq,
  gte,
  inArray,
  isNull,
  lte,
  or,
  type Placeholder,
  type SQL,
  sql,
} from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { StudyListQuery } from "../../../shared/api/studies.ts";
import type { Role } from "../../../shared/api/users.ts";
import { fold } from "../../../shared/fold.ts";
import type { DbOrTx } from "../../db/client.ts";
import { users } from "../users/users.table.ts";
import { grants, type SeriesRow, type StudyRow, series, studies } from "./studies.table.ts";

/** Who asks: every query below answers only what he may see. */
export interface Caller {
  userId: string;
  role: Role;
}

/** Own studies and granted ones; admins see all. The one place that says so. */
export function visibleTo(caller: Caller): SQL | undefined {
  return caller.role === "admin" ? undefined : ownedByOrGrantedTo(caller.userId);
}

/** What {@link visibleTo} says of whoever is no admin; with a placeholder, for prepared statements. */
export function ownedByOrGrantedTo(userId: string | Placeholder): SQL | undefined {
  const granted = sql`select ${grants.studyId} from ${grants} where ${grants.userId} = ${userId}`;
  return or(eq(studies.accountId, userId), sql`${studies.id} = any(array(${granted}))`);
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

export interface StudyListRow {
  study: StudyRow;
  ownerName: string;
}

const MAX_LISTED = 10_000;

const sortColumns = {
  studyDate: [studies.studyDate, studies.studyTime],
  studyDescription: [studies.descriptionFolded],
  patientName: [studies.patientNameFolded],
  modality: [studies.modality],
  imagesReceived: [studies.instanceCount],
  seriesCount: [studies.seriesCount],
  createdAt: [studies.createdAt],
} as const;

function listFilter(caller: Caller, query: StudyListQuery): SQL | undefined {
  const { startDate, endDate, modality } = query;
  return and(
    visibleTo(caller),
    contains(studies.patientNameFolded, query.patientName),
    contains(studies.patientIDFolded, query.patientID),
    contains(studies.accessionNumberFolded, query.accessionNumber),
    contains(studies.descriptionFolded, query.description),
    modality && modality !== "all" ? sql`${studies.modality} like ${likePattern(modality)}` : undefined,
    examinedBetween(startDate, endDate),
  );
}

/** Studies without a date pass. One "or" over the whole range, not one an end: an index serves each side of it. */
function examinedBetween(startDate: string | undefined, endDate: string | undefined): SQL | undefined {
  if (!startDate && !endDate) return undefined;
  const from = startDate ? gte(studies.studyDate, startDate) : undefined;
  const to = endDate ? lte(studies.studyDate, endDate) : undefined;
  return or(isNull(studies.studyDate), and(from, to));
}

function contains(column: AnyPgColumn, text: string | undefined): SQL | undefined {
  const folded = text && fold(text);
  return folded ? sql`${column} like ${likePattern(folded)}` : undefined;
}

function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

/** A page of what the caller may see; newest first unless the query says otherwise. */
export async function listStudies(
  db: DbOrTx,
  caller: Caller,
  query: StudyListQuery,
): Promise<StudyListRow[]> {
  const direction = query.order === "asc" ? asc : desc;
  const nulls = query.order === "asc" ? sql`nulls first` : sql`nulls last`;
  const columns = sortColumns[query.sort ?? "studyDate"];
  return await db
    .select({ study: studies, ownerName: users.name })
    .from(studies)
    .innerJoin(users, eq(users.id, studies.accountId))
    .where(listFilter(caller, query))
    .orderBy(...columns.map((column) => sql`${direction(column)} ${nulls}`), direction(studies.id))
    .limit(query.limit ?? MAX_LISTED)
    .offset(query.offset ?? 0);
}

/** A page, and how many there are in all: counted only where the page does not tell. */
export async function pageOfStudies(
  db: DbOrTx,
  caller: Caller,
  query: StudyListQuery,
): Promise<{ rows: StudyListRow[]; total: number }> {
  const { limit = MAX_LISTED, offset = 0 } = query;
  const rows = await listStudies(db, caller, query);
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  return { rows, total: isLast ? offset + rows.length : await countStudies(db, caller, query) };
}

async function countStudies(db: DbOrTx, caller: Caller, query: StudyListQuery): Promise<number> {
  return await db.$count(studies, listFilter(caller, query));
}

export async function countOwnStudies(db: DbOrTx, userId: string): Promise<number> {
  return await db.$count(studies, eq(studies.accountId, userId));
}

/** The series of a study, by SeriesNumber. */
export async function listSeries(db: DbOrTx, studyId: string): Promise<SeriesRow[]> {
  return await db
    .select()
    .from(series)
    .where(eq(series.studyId, studyId))
    .orderBy(sql`${series.seriesNumber} nulls last`, series.seriesInstanceUID);
}

/** The study row, locked until the transaction ends. */
export async function lockStudy(tx: DbOrTx, id: string): Promise<StudyRow | undefined> {
  const [row] = await tx.select().from(studies).where(eq(studies.id, id)).for("update");
  return row;
}

export async function deleteStudyRow(tx: DbOrTx, id: string): Promise<void> {
  await tx.delete(studies).where(eq(studies.id, id));
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

/** Who has been granted a study; at most 1,000. */
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

/** Among `ids`, the studies the caller may see. */
export async function findVisibleStudies(db: DbOrTx, caller: Caller, ids: string[]): Promise<StudyRow[]> {
  if (ids.length === 0) return [];
  return await db
    .select()
    .from(studies)
    .where(and(inArray(studies.id, ids), visibleTo(caller)));
}
