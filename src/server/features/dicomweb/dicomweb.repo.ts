import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { prepared } from "../../db/prepared.ts";
import { type Caller, isKept, ownedByOrGrantedTo, visibleTo } from "../studies/studies.repo.ts";
import {
  type SeriesRow,
  type StoredObjectRow,
  type StudyRow,
  series,
  storedObjects,
  studies,
} from "../studies/studies.table.ts";

/** What a DICOMweb request may reach: what its caller sees, of the studies its token names. */
export interface Scope {
  caller: Caller;
  studyIds: string[];
}

function inScope({ caller, studyIds }: Scope) {
  return and(inArray(studies.id, studyIds), visibleTo(caller));
}

export async function listStudiesInScope(db: DbOrTx, scope: Scope): Promise<StudyRow[]> {
  if (scope.studyIds.length === 0) return [];
  return await db.select().from(studies).where(inScope(scope)).orderBy(studies.id);
}

/** The series of a study by UID, by SeriesNumber; none where the study is not in scope. */
export async function listSeriesInScope(
  db: DbOrTx,
  scope: Scope,
  studyInstanceUID: string,
): Promise<SeriesRow[]> {
  if (scope.studyIds.length === 0) return [];
  const rows = await db
    .select({ series })
    .from(series)
    .innerJoin(studies, eq(studies.id, series.studyId))
    .where(and(eq(studies.studyInstanceUID, studyInstanceUID), inScope(scope)))
    .orderBy(sql`${series.seriesNumber} nulls last`, series.seriesInstanceUID);
  return rows.map((row) => row.series);
}

const manifestObject = (visible: SQL | undefined) =>
  prepared((db) =>
    db
      .select({ object: storedObjects })
      .from(series)
      .innerJoin(studies, eq(studies.id, series.studyId))
      .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
      .where(
        and(
          eq(studies.studyInstanceUID, sql.placeholder("studyInstanceUID")),
          eq(series.seriesInstanceUID, sql.placeholder("seriesInstanceUID")),
          sql`${studies.id} = any(${sql.placeholder("studyIds")}::uuid[])`,
          visible,
        ),
      )
      .prepare("manifest_object"),
  );
const manifestObjectForAdmin = manifestObject(isKept);
const manifestObjectForUser = manifestObject(ownedByOrGrantedTo(sql.placeholder("userId")));

/** The manifest in force of a series; asked at every frame, hence one prepared statement. */
export async function findManifestObject(
  db: DbOrTx,
  { caller, studyIds }: Scope,
  uids: { studyInstanceUID: string; seriesInstanceUID: string },
): Promise<StoredObjectRow | undefined> {
  if (studyIds.length === 0) return undefined;
  const statement = caller.role === "admin" ? manifestObjectForAdmin : manifestObjectForUser;
  const [row] = await statement(db).execute({ ...uids, studyIds, userId: caller.userId });
  return row?.object;
}
