import { and, eq, gt, notExists, sql } from "drizzle-orm";
import type { Db, DbOrTx, Tx } from "../../db/client.ts";
import type { OneStatement } from "../../db/one-statement.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { objectSums, type StoredObjectRow, storedObjects } from "../objects/stored-objects.table.ts";

const sumsOfObject = prepared((db, given: Given<{ id: string }>) =>
  db.select({ crc32s: objectSums.crc32s }).from(objectSums).where(eq(objectSums.objectId, given.id)),
);

export async function findObjectSums(db: DbOrTx, id: string): Promise<Uint8Array | undefined> {
  const [row] = await sumsOfObject(db, { id });
  return row?.crc32s;
}

const newObjectSums = prepared((db, given: Given<{ id: string; crc32s: string }>) =>
  db
    .insert(objectSums)
    .select(
      sql`select id, decode(${given.crc32s}::text, 'hex') from ${storedObjects} where id = ${given.id}::uuid`,
    )
    .onConflictDoNothing(),
);

/** Saves the sums of an object, unless it was deleted meanwhile. */
export async function saveObjectSums(db: DbOrTx, id: string, crc32s: Uint8Array): Promise<void> {
  await newObjectSums(db, { id, crc32s: Buffer.from(crc32s).toString("hex") });
}

/** `unnest` makes as many rows of the one that is written. */
const sumsOfNewObjects = prepared((db, given: Given<{ ids: string[]; crc32s: string[] }>) =>
  db.insert(objectSums).values({
    objectId: sql`unnest(${given.ids}::uuid[])`,
    crc32s: sql`decode(unnest(${given.crc32s}::text[]), 'hex')`,
  }),
);

/** Stores the sums of objects that the same transaction stores. */
export async function insertObjectSums(
  tx: Tx | OneStatement,
  objects: readonly { id: string; crc32s: Uint8Array }[],
): Promise<void> {
  if (objects.length === 0) return;
  await sumsOfNewObjects(tx, {
    ids: objects.map(({ id }) => id),
    crc32s: objects.map(({ crc32s }) => Buffer.from(crc32s).toString("hex")),
  });
}

/** Volumes in the archive store without stored sums, by id after `afterId`. */
export async function listVolumesWithoutSums(
  db: Db,
  afterId: string | null,
  limit: number,
): Promise<StoredObjectRow[]> {
  return await db
    .select()
    .from(storedObjects)
    .where(
      and(
        eq(storedObjects.kind, "volume"),
        eq(storedObjects.location, "archive"),
        ...(afterId ? [gt(storedObjects.id, afterId)] : []),
        notExists(
          db.select({ one: sql`1` }).from(objectSums).where(eq(objectSums.objectId, storedObjects.id)),
        ),
      ),
    )
    .orderBy(storedObjects.id)
    .limit(limit);
}
