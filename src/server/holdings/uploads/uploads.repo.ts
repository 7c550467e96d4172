import { and, eq, gt, inArray, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../db/client.ts";
import type { OneStatement } from "../../db/one-statement.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { storedObjects } from "../objects/stored-objects.table.ts";
import { uploads } from "./uploads.table.ts";

type UploadRow = typeof uploads.$inferSelect;

type NewUpload = Omit<UploadRow, "finishedAt" | "bytesRemovedAt">;

const newUpload = prepared((db, given: Given<NewUpload>) => {
  const { id, accountId, nodeId, bootId, state, startedAt } = given;
  return db.insert(uploads).values({ id, accountId, nodeId, bootId, state, startedAt });
});

/** Records an upload before its first byte. */
export async function insertUpload(db: DbOrTx, row: NewUpload): Promise<void> {
  await newUpload(db, row);
}

export async function findUploads(db: DbOrTx, ids: string[]): Promise<UploadRow[]> {
  if (ids.length === 0) return [];
  return await db.select().from(uploads).where(inArray(uploads.id, ids));
}

/** Returns which of these ids are uploads of this installation; a forgotten upload is known by the objects that it stored. */
export async function findKnownUploads(db: DbOrTx, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const known = await db.select({ id: uploads.id }).from(uploads).where(inArray(uploads.id, ids));
  const stored = await db
    .selectDistinct({ id: storedObjects.uploadId })
    .from(storedObjects)
    .where(inArray(storedObjects.uploadId, ids));
  return new Set([...known, ...stored].map(({ id }) => id));
}

/**
 * The keys of what a committed upload has in a node's staging area; undefined if it is no committed upload of this database, which after a
 * failover may be behind what an earlier statement saw.
 */
export async function listStagedKeys(
  db: DbOrTx,
  uploadId: string,
  nodeId: string,
): Promise<string[] | undefined> {
  const keys = sql<string[]>`array(select ${storedObjects.key} from ${storedObjects}
    where ${storedObjects.uploadId} = ${uploadId}::uuid and ${storedObjects.stagedOn} = ${nodeId})`;
  const [row] = await db
    .select({ keys })
    .from(uploads)
    .where(and(eq(uploads.id, uploadId), eq(uploads.state, "committed")));
  return row?.keys;
}

/** Uploads of a node that a former run of it left uncommitted. */
export async function listDeadUploads(db: DbOrTx, nodeId: string, bootId: string): Promise<UploadRow[]> {
  return await db
    .select()
    .from(uploads)
    .where(and(eq(uploads.nodeId, nodeId), eq(uploads.state, "receiving"), ne(uploads.bootId, bootId)));
}

/** All nodes that are named by an upload under way or by a staged object. */
export async function listNodesNamed(db: DbOrTx): Promise<string[]> {
  const receiving = db.select({ id: uploads.nodeId }).from(uploads).where(eq(uploads.state, "receiving"));
  const holding = db
    .select({ id: sql<string>`${storedObjects.stagedOn}` })
    .from(storedObjects)
    .where(isNotNull(storedObjects.stagedOn));
  const rows = await receiving.union(holding);
  return rows.map(({ id }) => id);
}

/** Ends the uploads that a node was receiving; waits for a commit under way, which stays valid. */
export async function failUploadsOfNode(tx: Tx, nodeId: string, at: Date): Promise<void> {
  await tx
    .update(uploads)
    .set({ state: "failed", finishedAt: at })
    .where(and(eq(uploads.nodeId, nodeId), eq(uploads.state, "receiving")));
}

/** The ids of a node's failed uploads that still have bytes in the store, the oldest first, in pages of at most `atOnce`. */
export async function* unremovedUploads(
  db: DbOrTx,
  nodeId: string,
  atOnce: number,
): AsyncGenerator<string[], void, undefined> {
  const isUnremoved = and(
    eq(uploads.nodeId, nodeId),
    eq(uploads.state, "failed"),
    isNull(uploads.bytesRemovedAt),
  );
  for (let after: string | undefined; ; ) {
    const rows = await db
      .select({ id: uploads.id })
      .from(uploads)
      .where(and(isUnremoved, after === undefined ? undefined : gt(uploads.id, after)))
      .orderBy(uploads.id)
      .limit(atOnce);
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < atOnce) return;
    after = rows.at(-1)?.id;
  }
}

export async function markBytesRemoved(db: DbOrTx, id: string, at: Date): Promise<void> {
  await db.update(uploads).set({ bytesRemovedAt: at }).where(eq(uploads.id, id));
}

/** Forgets the uploads of a node that is forgotten itself. */
export async function deleteUploadsOfNode(db: DbOrTx, nodeId: string): Promise<void> {
  await db.delete(uploads).where(and(eq(uploads.nodeId, nodeId), ne(uploads.state, "receiving")));
}

const uploadEnd = prepared((db, given: Given<Pick<UploadRow, "id" | "state"> & { at: Date }>) =>
  db
    .update(uploads)
    .set({ state: sql`${given.state}`, finishedAt: sql`${sql.param(given.at, uploads.finishedAt)}` })
    .where(and(eq(uploads.id, given.id), eq(uploads.state, "receiving")))
    .returning({ id: uploads.id }),
);

/**
 * Ends an upload; returns `false` if it is already committed or ended. Waits for a commit under way, so that after `true` nothing
 * of the upload can become visible.
 */
export async function endUpload(
  db: DbOrTx | OneStatement,
  id: string,
  state: "committed" | "failed",
  at: Date,
): Promise<boolean> {
  const rows = await uploadEnd(db, { id, state, at });
  return rows.length === 1;
}

/** Forgets uploads ended before `before`; what they stored has rows of its own. A failed upload stays until its bytes are removed. */
export async function deleteOldUploads(db: DbOrTx, nodeId: string, before: Date): Promise<void> {
  const needsNoSweep = or(ne(uploads.state, "failed"), isNotNull(uploads.bytesRemovedAt));
  await db
    .delete(uploads)
    .where(and(eq(uploads.nodeId, nodeId), lt(uploads.finishedAt, before), needsNoSweep));
}
