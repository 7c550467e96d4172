import { and, count, desc, eq, gt, inArray, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../../../shared/units.ts";
import type { Db, DbOrTx, Tx } from "../../db/client.ts";
import { statementChunks } from "../../db/statement-chunks.ts";
import { type FindingRow, type Healing, integrityFindings } from "./findings.table.ts";
import type { Damage } from "./integrity.ts";

const isOpen = isNull(integrityFindings.closedAt);

export type NewFinding = Omit<FindingRow, "id" | "checkedAt" | "closedAt" | "healedBy">;

/** Opens a finding, or notes on the open one of the same object what is found now. Returns whether it is new. */
export async function openFinding(tx: Tx, finding: NewFinding): Promise<boolean> {
  const { found, foundAt: checkedAt } = finding;
  const id = Bun.randomUUIDv7();
  const [row] = await tx
    .insert(integrityFindings)
    .values({ id, ...finding, checkedAt })
    .onConflictDoUpdate({
      target: integrityFindings.objectId,
      targetWhere: isOpen,
      set: { found, checkedAt },
    })
    .returning({ id: integrityFindings.id });
  return row?.id === id;
}

/** Closes the open findings of these objects; returns how many there were. */
export async function closeFindings(
  db: DbOrTx,
  objectIds: readonly string[],
  healedBy: Healing,
  at: Date,
): Promise<number> {
  let closed = 0;
  for (const some of statementChunks([...objectIds])) {
    const rows = await db
      .update(integrityFindings)
      .set({ closedAt: at, healedBy })
      .where(and(isOpen, inArray(integrityFindings.objectId, some)))
      .returning({ id: integrityFindings.id });
    closed += rows.length;
  }
  return closed;
}

/** Whether any object of a study is known to be damaged or missing. */
export async function hasOpenFinding(db: DbOrTx, studyId: string): Promise<boolean> {
  const rows = await db
    .select({ id: integrityFindings.id })
    .from(integrityFindings)
    .where(and(isOpen, eq(integrityFindings.studyId, studyId)))
    .limit(1);
  return rows.length > 0;
}

export async function findFinding(db: DbOrTx, id: string): Promise<FindingRow | undefined> {
  const [row] = await db.select().from(integrityFindings).where(eq(integrityFindings.id, id));
  return row;
}

export async function findOpenFinding(db: DbOrTx, objectId: string): Promise<FindingRow | undefined> {
  const [row] = await db
    .select()
    .from(integrityFindings)
    .where(and(isOpen, eq(integrityFindings.objectId, objectId)));
  return row;
}

export interface FindingPage {
  isOpen: boolean;
  limit: number;
  offset: number;
}

/** A page of the open or the closed findings, newest first, and how many there are. */
export async function listFindings(
  db: Db,
  page: FindingPage,
): Promise<{ findings: FindingRow[]; total: number }> {
  const those: SQL = page.isOpen ? isOpen : isNotNull(integrityFindings.closedAt);
  const findings = await db
    .select()
    .from(integrityFindings)
    .where(those)
    .orderBy(desc(integrityFindings.foundAt), desc(integrityFindings.id))
    .limit(page.limit)
    .offset(page.offset);
  return { findings, total: await db.$count(integrityFindings, those) };
}

/**
 * Open findings of one kind not older than a day, last looked at so long ago as they were old by then, or a minute; `except` has the ids of
 * those to leave out.
 */
export async function listFindingsToReread(
  db: Db,
  now: Date,
  { found, except, limit }: { found: Damage; except: readonly string[]; limit: number },
): Promise<FindingRow[]> {
  const { id, checkedAt, foundAt } = integrityFindings;
  const isSuch = eq(integrityFindings.found, found);
  // Hashed, as there may be thousands.
  const isOther = sql`${id} not in (select unnest(${sql.param([...except])}::uuid[]))`;
  const pause = sql`greatest(${checkedAt} - ${foundAt}, interval '1 minute')`;
  const isDue = sql`${checkedAt} + ${pause} <= ${now.toISOString()}::timestamptz`;
  return await db
    .select()
    .from(integrityFindings)
    .where(and(isOpen, isSuch, gt(foundAt, new Date(now.getTime() - DAY_MS)), isDue, isOther))
    .orderBy(checkedAt)
    .limit(limit);
}

/** Notes on an open finding that what is missing was looked for and is not there. */
export async function noteStillMissing(db: Db, id: string, checkedAt: Date): Promise<void> {
  const isMissing = eq(integrityFindings.found, "missing");
  await db
    .update(integrityFindings)
    .set({ checkedAt })
    .where(and(isOpen, isMissing, eq(integrityFindings.id, id)));
}

/** How many findings are open, by what was found. */
export async function countOpenFindings(db: Db): Promise<Record<FindingRow["found"], number>> {
  const rows = await db
    .select({ found: integrityFindings.found, findings: count() })
    .from(integrityFindings)
    .where(isOpen)
    .groupBy(integrityFindings.found);
  const counts = { damaged: 0, missing: 0 };
  for (const { found, findings } of rows) counts[found] = findings;
  return counts;
}

/** Deletes findings that were closed before `before`. */
export async function forgetFindings(db: Db, before: Date): Promise<void> {
  await db.delete(integrityFindings).where(lt(integrityFindings.closedAt, before));
}
