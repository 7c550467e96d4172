import { and, eq, inArray, isNotNull, isNull, lt, notInArray, or, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { type ResumablePart, resumableParts, resumableUploads } from "./resumable-uploads.table.ts";
import { type Holder, heldUntil, holderText, isHeldBy, isTakenBy } from "./upload-holds.repo.ts";

/** Bytes that an upload has grown by, which are on stable storage. */
export interface Growth {
  sizeBytes: number;
  expiresAt: Date;
  added: ResumablePart[];
  /** Parts whose bytes are in an added one. */
  replaced: string[];
}

/** Records growth; returns `false` if the upload was closed meanwhile. */
export async function recordGrowth(tx: DbOrTx, id: string, holder: Holder, growth: Growth): Promise<boolean> {
  const { sizeBytes, expiresAt, added, replaced } = growth;
  const grown = await tx
    .update(resumableUploads)
    .set({ sizeBytes, receivedBytes: sizeBytes, expiresAt, heldUntil })
    .where(isHeldBy(id, holder))
    .returning({ id: resumableUploads.id });
  if (grown.length === 0) return false;
  if (replaced.length > 0) await tx.delete(resumableParts).where(inArray(resumableParts.id, replaced));
  if (added.length > 0) await tx.insert(resumableParts).values(added);
  return true;
}

/** The columns of a new upload that `holder` adds to. */
export function heldFrom(holder: Holder, now: Date) {
  return { heldBy: holderText(holder), heldUntil: now };
}

/** Closes an upload that grew; returns `true` if there is something to take in. */
export async function closeGrowing(tx: Tx, id: string, at: Date): Promise<boolean> {
  const open = and(
    eq(resumableUploads.id, id),
    eq(resumableUploads.state, "receiving"),
    isNotNull(resumableUploads.receiverId),
  );
  const released = { heldBy: null, heldUntil: null };
  await tx
    .update(resumableUploads)
    .set({ state: "ended", endedAt: at, ...released })
    .where(and(open, eq(resumableUploads.sizeBytes, 0)));
  const closed = await tx
    .update(resumableUploads)
    .set({ state: "processing", ...released })
    .where(open)
    .returning({ id: resumableUploads.id });
  return closed.length === 1;
}

/**
 * Uploads that a former run of this node, or a node that is gone, left open: nobody has renewed their hold since `quietSince`.
 * @param growing uploads to which this run may still write
 */
export async function listAbandonedGrowing(
  db: DbOrTx,
  { nodeId, bootId, growing }: Pick<Holder, "nodeId" | "bootId"> & { growing: ReadonlySet<string> },
  quietSince: Date,
): Promise<string[]> {
  const rows = await db
    .select({ id: resumableUploads.id })
    .from(resumableUploads)
    .where(
      and(
        isNotNull(resumableUploads.receiverId),
        eq(resumableUploads.state, "receiving"),
        or(
          and(lt(resumableUploads.heldUntil, quietSince), notInArray(resumableUploads.id, [...growing])),
          sql`starts_with(${resumableUploads.heldBy}, ${`${nodeId} `}) and not starts_with(${resumableUploads.heldBy}, ${`${nodeId} ${bootId} `})`,
        ),
      ),
    )
    .limit(1_000);
  return rows.map(({ id }) => id);
}

/** Notes why a whole upload can't be taken in yet; it waits. */
export async function noteHeldBack(db: DbOrTx, id: string, holder: Holder, problem: object): Promise<void> {
  await db.update(resumableUploads).set({ problem }).where(isTakenBy(id, holder));
}

/** Gives a whole upload back, as if no run had taken it yet. */
export async function giveBack(db: DbOrTx, id: string, holder: Holder): Promise<void> {
  await db.update(resumableUploads).set({ heldBy: null }).where(isTakenBy(id, holder));
}

/**
 * Whole uploads that may have no job: those that no run has, and all of DICOM senders, since their jobs are given up some day. If there
 * are more than a thousand, each call returns others, so that those that go on waiting never hold the rest back.
 */
export async function listWaiting(db: DbOrTx): Promise<string[]> {
  const rows = await db
    .select({ id: resumableUploads.id })
    .from(resumableUploads)
    .where(
      and(
        eq(resumableUploads.state, "processing"),
        or(isNull(resumableUploads.heldBy), isNotNull(resumableUploads.receiverId)),
      ),
    )
    .orderBy(sql`random()`)
    .limit(1_000);
  return rows.map(({ id }) => id);
}
