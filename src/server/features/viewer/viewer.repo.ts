import { eq, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { series } from "../studies/studies.table.ts";

/** The most series of a study that are read. */
const MAX_SERIES = 500;

export interface ManifestOfSeries {
  seriesInstanceUID: string;
  manifest: StoredObjectRow;
}

/** The manifests of a study's series, the series with the most instances first, like the list's picture. */
export async function listLargestSeries(
  db: DbOrTx,
  studyId: string,
  limit = MAX_SERIES,
): Promise<ManifestOfSeries[]> {
  return await db
    .select({ seriesInstanceUID: series.seriesInstanceUID, manifest: storedObjects })
    .from(series)
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .where(eq(series.studyId, studyId))
    .orderBy(
      sql`${series.instanceCount} desc`,
      sql`${series.seriesNumber} nulls last`,
      series.seriesInstanceUID,
    )
    .limit(limit);
}
