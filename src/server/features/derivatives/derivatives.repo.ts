import { and, eq, exists, isNull, lt, or, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { derivatives } from "../../holdings/derivatives/derivatives.table.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { listArchivedStudies } from "../studies/studies.repo.ts";
import { series, studies } from "../studies/studies.table.ts";

export interface SeriesToCopy {
  accountId: string;
  manifest: StoredObjectRow;
}

/** The first process may have been killed for another reason, so a series has two attempts. */
const MAX_ATTEMPTS = 2;

const isUnsettled = or(isNull(derivatives.manifestId), lt(derivatives.attempts, MAX_ATTEMPTS));

/** Archived series of a study of which it is not settled whether they have a copy. */
export async function listUncopiedSeries(
  db: DbOrTx,
  studyId: string,
  limit: number,
): Promise<SeriesToCopy[]> {
  return await db
    .select({ accountId: studies.accountId, manifest: storedObjects })
    .from(series)
    .innerJoin(studies, eq(studies.id, series.studyId))
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .leftJoin(derivatives, eq(derivatives.manifestId, series.manifestId))
    .where(
      and(eq(series.studyId, studyId), isKept(studies), eq(storedObjects.location, "archive"), isUnsettled),
    )
    .orderBy(sql`${series.seriesNumber} nulls last`, series.id)
    .limit(limit);
}

/** Ids after `afterStudyId`, in order, of archived studies with such a series. */
export async function listUncopiedStudies(
  db: DbOrTx,
  afterStudyId: string | null,
  limit: number,
): Promise<string[]> {
  const uncopied = db
    .select({ id: series.id })
    .from(series)
    .leftJoin(derivatives, eq(derivatives.manifestId, series.manifestId))
    .where(and(eq(series.studyId, studies.id), isUnsettled));
  return await listArchivedStudies(db, and(isKept(studies), exists(uncopied)), afterStudyId, limit);
}
