import { and, eq } from "drizzle-orm";
import type { DbOrTx } from "../../../db/client.ts";
import { downloads } from "./download.table.ts";

type DownloadRow = typeof downloads.$inferSelect;

export async function findDownload(
  db: DbOrTx,
  userId: string,
  studyId: string,
): Promise<DownloadRow | undefined> {
  const [row] = await db
    .select()
    .from(downloads)
    .where(and(eq(downloads.userId, userId), eq(downloads.studyId, studyId)));
  return row;
}

export async function recordDownload(db: DbOrTx, row: DownloadRow): Promise<void> {
  await db
    .insert(downloads)
    .values(row)
    .onConflictDoUpdate({
      target: [downloads.userId, downloads.studyId],
      set: { etag: row.etag, chargedAt: row.chargedAt },
    });
}
