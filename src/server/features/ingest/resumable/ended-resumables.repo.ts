import { and, desc, eq, inArray, isNull, lt, lte, ne, or } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { inScope } from "./resumable-uploads.repo.ts";
import { resumableUploads, type UploadScope } from "./resumable-uploads.table.ts";

/** What remains of an ended upload: nothing that tells about a person. */
export const blank = {
  state: "ended",
  filename: "",
  metadata: "",
  form: {},
  receivedFrom: null,
  heldBy: null,
  heldUntil: null,
  address: null,
  result: null,
  problem: null,
} as const;

/** Ends an upload; its bytes are removed afterwards. Returns `false` if there is none. */
export async function endResumable(db: DbOrTx, scope: UploadScope, id: string, at: Date): Promise<boolean> {
  const ended = await db
    .update(resumableUploads)
    .set({ ...blank, endedAt: at })
    .where(and(eq(resumableUploads.id, id), inScope(scope)))
    .returning({ id: resumableUploads.id });
  return ended.length === 1;
}

/** Ends all uploads to an account that is deleted. */
export async function endResumablesOfAccount(tx: Tx, accountId: string, at: Date): Promise<void> {
  await tx
    .update(resumableUploads)
    .set({ ...blank, endedAt: at })
    .where(and(eq(resumableUploads.accountId, accountId), ne(resumableUploads.state, "ended")));
}

/** Ends the uploads that expired. What a DICOM sender was told is kept does not expire. */
export async function endExpired(db: DbOrTx, now: Date): Promise<void> {
  await db
    .update(resumableUploads)
    .set({ ...blank, endedAt: now })
    .where(
      and(
        lte(resumableUploads.expiresAt, now),
        ne(resumableUploads.state, "ended"),
        or(isNull(resumableUploads.receiverId), inArray(resumableUploads.state, ["done", "failed"])),
      ),
    );
}

/** Ends an account's finished uploads beyond the newest `kept`; those of deliveries are not its own. */
export async function endOldFinished(tx: Tx, accountId: string, kept: number, at: Date): Promise<void> {
  const old = tx
    .select({ id: resumableUploads.id })
    .from(resumableUploads)
    .where(
      and(
        eq(resumableUploads.accountId, accountId),
        isNull(resumableUploads.deliveryId),
        inArray(resumableUploads.state, ["done", "failed"]),
      ),
    )
    .orderBy(desc(resumableUploads.id))
    .offset(kept);
  await tx
    .update(resumableUploads)
    .set({ ...blank, endedAt: at })
    .where(inArray(resumableUploads.id, old));
}

/** Uploads that need their bytes no more and may still have some. */
export async function listUnremoved(db: DbOrTx, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: resumableUploads.id })
    .from(resumableUploads)
    .where(
      and(
        inArray(resumableUploads.state, ["done", "failed", "ended"]),
        isNull(resumableUploads.bytesRemovedAt),
      ),
    )
    .orderBy(resumableUploads.id)
    .limit(limit);
  return rows.map(({ id }) => id);
}

export async function markRemoved(db: DbOrTx, id: string, at: Date): Promise<void> {
  await db.update(resumableUploads).set({ bytesRemovedAt: at }).where(eq(resumableUploads.id, id));
}

/** Uploads that ended before `before`. */
export async function listForgettable(db: DbOrTx, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: resumableUploads.id })
    .from(resumableUploads)
    .where(and(eq(resumableUploads.state, "ended"), lt(resumableUploads.endedAt, before)))
    .orderBy(resumableUploads.id)
    .limit(limit);
  return rows.map(({ id }) => id);
}

export async function forgetResumable(db: DbOrTx, id: string): Promise<void> {
  await db
    .delete(resumableUploads)
    .where(and(eq(resumableUploads.id, id), eq(resumableUploads.state, "ended")));
}

/** The ids among these that are resumable uploads. */
export async function findKnownResumables(db: DbOrTx, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .select({ id: resumableUploads.id })
    .from(resumableUploads)
    .where(inArray(resumableUploads.id, ids));
  return new Set(rows.map(({ id }) => id));
}
