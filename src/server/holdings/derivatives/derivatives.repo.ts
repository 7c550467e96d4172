import { and, eq, inArray, isNotNull, isNull, notExists, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { statementChunks } from "../../db/statement-chunks.ts";
import type { DiscardedObject } from "../objects/discard-objects.ts";
import { storedObjects } from "../objects/stored-objects.table.ts";
import { derivatives } from "./derivatives.table.ts";

/** The copy of a series, and where its bytes are. */
export interface StoredDerivative {
  manifestId: string;
  studyId: string;
  key: string;
  sizeBytes: number;
  indexOffset: number;
  indexSha256: string;
}

const derivativeOf = prepared((db, given: Given<{ manifestId: string }>) =>
  db
    .select()
    .from(derivatives)
    .where(and(eq(derivatives.manifestId, given.manifestId), isNotNull(derivatives.key))),
);

export async function findDerivative(db: DbOrTx, manifestId: string): Promise<StoredDerivative | undefined> {
  const [row] = await derivativeOf(db, { manifestId });
  if (!row) return undefined;
  const { studyId, key, sizeBytes, indexOffset, indexSha256 } = row;
  const isWhole = key !== null && sizeBytes !== null && indexOffset !== null && indexSha256 !== null;
  return isWhole ? { manifestId, studyId, key, sizeBytes, indexOffset, indexSha256 } : undefined;
}

/** The keys of the copies of the series with these manifests, by manifest. */
export async function findCopies(db: DbOrTx, manifestIds: readonly string[]): Promise<Map<string, string>> {
  if (manifestIds.length === 0) return new Map();
  const rows = await db
    .select({ id: derivatives.manifestId, key: derivatives.key })
    .from(derivatives)
    .where(
      and(
        sql`${derivatives.manifestId} = any(${sql.param([...manifestIds])}::uuid[])`,
        isNotNull(derivatives.key),
      ),
    );
  return new Map(rows.flatMap(({ id, key }) => (key === null ? [] : [[id, key]])));
}

interface Attempt {
  manifestId: string;
  studyId: string;
  at: Date;
}

/** Records an attempt before anything is read for it, so that a series that ends the process is not tried at every start. */
export async function beginDerivative(db: DbOrTx, { manifestId, studyId, at }: Attempt): Promise<void> {
  await db
    .insert(derivatives)
    .values({ manifestId, studyId, attempts: 1, triedAt: at })
    .onConflictDoUpdate({
      target: derivatives.manifestId,
      set: { attempts: sql`coalesce(${derivatives.attempts}, 0) + 1`, triedAt: at },
    });
}

/** Takes back an attempt that failed for a reason outside of the series, such as an unreachable store. */
export async function takeBackDerivative(db: DbOrTx, manifestId: string): Promise<void> {
  const { attempts } = derivatives;
  await db
    .update(derivatives)
    .set({ attempts: sql`${attempts} - 1` })
    .where(and(eq(derivatives.manifestId, manifestId), isNotNull(attempts)));
}

/** Records that a series has no copy. */
export async function leaveAlone(db: DbOrTx, manifestId: string): Promise<void> {
  await db.update(derivatives).set({ attempts: null }).where(eq(derivatives.manifestId, manifestId));
}

/** Records the copy of a series whose attempt is still recorded; returns `false` if it is not, or if another node was faster. */
export async function saveDerivative(tx: Tx, made: StoredDerivative): Promise<boolean> {
  const { manifestId, key, sizeBytes, indexOffset, indexSha256 } = made;
  const rows = await tx
    .update(derivatives)
    .set({ attempts: null, key, sizeBytes, indexOffset, indexSha256 })
    .where(and(eq(derivatives.manifestId, manifestId), isNotNull(derivatives.attempts)))
    .returning({ manifestId: derivatives.manifestId });
  return rows.length === 1;
}

/** Leaves what is settled of a series to the manifest that replaces its own and says the same of the images. */
export async function passDerivative(
  tx: Tx,
  { manifestId, replacedById }: { manifestId: string; replacedById: string },
): Promise<void> {
  await tx
    .update(derivatives)
    .set({ manifestId: replacedById })
    .where(and(eq(derivatives.manifestId, manifestId), isNull(derivatives.attempts)));
}

/** Deletes the rows of studies that are deleted in the same transaction, and returns the bytes to discard. */
export async function takeDerivativesOf(tx: Tx, studyIds: string[]): Promise<DiscardedObject[]> {
  const taken: DiscardedObject[] = [];
  for (const some of statementChunks(studyIds)) {
    const rows = await tx
      .delete(derivatives)
      .where(inArray(derivatives.studyId, some))
      .returning({ key: derivatives.key });
    taken.push(...rows.flatMap(keyed));
  }
  return taken;
}

/** Deletes the row of one copy, if it still is the one under `key`; see {@link takeDerivativesOf}. */
export async function takeDerivative(
  tx: Tx,
  { manifestId, key }: Pick<StoredDerivative, "manifestId" | "key">,
): Promise<DiscardedObject[]> {
  const rows = await tx
    .delete(derivatives)
    .where(and(eq(derivatives.manifestId, manifestId), eq(derivatives.key, key)))
    .returning({ key: derivatives.key });
  return rows.flatMap(keyed);
}

/** Deletes up to `limit` rows whose manifest is gone, since it was replaced or its study was deleted; or of all rows. */
export async function takeForgottenDerivatives(
  tx: Tx,
  { limit, evenWanted }: { limit: number; evenWanted: boolean },
): Promise<{ rows: number; objects: DiscardedObject[] }> {
  const manifest = tx
    .select({ one: sql`1` })
    .from(storedObjects)
    .where(eq(storedObjects.id, derivatives.manifestId));
  const forgotten = tx
    .select({ manifestId: derivatives.manifestId })
    .from(derivatives)
    .where(evenWanted ? undefined : notExists(manifest))
    .limit(limit);
  const rows = await tx
    .delete(derivatives)
    .where(inArray(derivatives.manifestId, forgotten))
    .returning({ key: derivatives.key });
  return { rows: rows.length, objects: rows.flatMap(keyed) };
}

const keyed = ({ key }: { key: string | null }): DiscardedObject[] =>
  key === null ? [] : [{ key, stagedOn: null }];
