import { and, arrayContained, asc, desc, eq, gt, notInArray, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { series } from "../studies/studies.table.ts";
import { type ReceiptRow, receipts } from "./receipts.table.ts";

const MANIFESTS_AT_ONCE = 10_000;

/** The manifests in force of a study in the order of their ids, page by page: a study may have as many as instances. */
export async function* manifestPages(db: DbOrTx, studyId: string): AsyncGenerator<StoredObjectRow[], void> {
  let last: string | undefined;
  do {
    const isLater = last === undefined ? undefined : gt(storedObjects.id, last);
    const rows = await db
      .select({ manifest: storedObjects })
      .from(series)
      .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
      .where(and(eq(series.studyId, studyId), isLater))
      .orderBy(asc(storedObjects.id))
      .limit(MANIFESTS_AT_ONCE);
    yield rows.map(({ manifest }) => manifest);
    last = rows.length < MANIFESTS_AT_ONCE ? undefined : rows.at(-1)?.manifest.id;
  } while (last !== undefined);
}

/** SHA-256 of the ids of a study's manifests in force, in their order and separated by commas. */
export async function digestManifests(db: DbOrTx, studyId: string): Promise<string> {
  const ids = sql`coalesce(string_agg(${series.manifestId}::text, ',' order by ${series.manifestId}), '')`;
  const [row] = await db
    .select({ sha256: sql<string>`encode(sha256(convert_to(${ids}, 'UTF8')), 'hex')` })
    .from(series)
    .where(eq(series.studyId, studyId));
  return row?.sha256 ?? "";
}

/** As {@link digestManifests}, of manifests that were read. */
export function digestOf(manifestIds: readonly string[]): string {
  return new Bun.CryptoHasher("sha256").update(manifestIds.toSorted().join(",")).digest("hex");
}

/** The receipt that was given last for a study. */
export async function findLastReceipt(db: DbOrTx, studyId: string): Promise<ReceiptRow | undefined> {
  const [row] = await db
    .select()
    .from(receipts)
    .where(eq(receipts.studyId, studyId))
    .orderBy(desc(receipts.id))
    .limit(1);
  return row;
}

export async function findReceipt(
  db: DbOrTx,
  studyId: string,
  root: string,
): Promise<ReceiptRow | undefined> {
  const [row] = await db
    .select()
    .from(receipts)
    .where(and(eq(receipts.studyId, studyId), eq(receipts.root, root)));
  return row;
}

/** The last receipt of a study that was made of some of these volumes and of no other. */
export async function findReceiptMadeOf(
  db: DbOrTx,
  studyId: string,
  volumeIds: readonly string[],
): Promise<ReceiptRow | undefined> {
  if (volumeIds.length === 0) return undefined;
  const [row] = await db
    .select()
    .from(receipts)
    .where(and(eq(receipts.studyId, studyId), arrayContained(receipts.volumeIds, [...volumeIds])))
    .orderBy(desc(receipts.id))
    .limit(1);
  return row;
}

/** The receipts of a study, newest first, without their contents. */
export async function listReceipts(db: DbOrTx, studyId: string) {
  const { root, receivedAt, receivedFrom, instanceCount, sizeBytes } = receipts;
  return await db
    .select({ root, receivedAt, receivedFrom, instanceCount, sizeBytes })
    .from(receipts)
    .where(eq(receipts.studyId, studyId))
    .orderBy(desc(receipts.id));
}

/** The receipt that was given after `after`, of a study's receipts in their order; the first one without it. */
export async function findNextReceipt(
  db: DbOrTx,
  studyId: string,
  after: string | undefined,
): Promise<ReceiptRow | undefined> {
  const isLater = after === undefined ? undefined : gt(receipts.id, after);
  const [row] = await db
    .select()
    .from(receipts)
    .where(and(eq(receipts.studyId, studyId), isLater))
    .orderBy(asc(receipts.id))
    .limit(1);
  return row;
}

/**
 * Keeps a receipt, and returns the one that counts: an earlier one of the same instances stays as it is. Of each study the newest
 * `kept` receipts stay.
 */
export async function keepReceipt(tx: Tx, row: ReceiptRow, kept: number): Promise<ReceiptRow> {
  const { madeOf, volumeIds } = row;
  const [stays] = await tx
    .insert(receipts)
    .values(row)
    .onConflictDoUpdate({ target: [receipts.studyId, receipts.root], set: { madeOf, volumeIds } })
    .returning();
  const newest = tx
    .select({ id: receipts.id })
    .from(receipts)
    .where(eq(receipts.studyId, row.studyId))
    .orderBy(desc(receipts.id))
    .limit(kept);
  await tx.delete(receipts).where(and(eq(receipts.studyId, row.studyId), notInArray(receipts.id, newest)));
  return stays ?? row;
}
