import { and, asc, desc, eq, inArray, isNull, ne, sql } from "drizzle-orm";
import type { UploadAnswer } from "../../../../shared/api/upload.ts";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { type Given, prepared } from "../../../db/prepared.ts";
import {
  type ResumablePart,
  type ResumableUpload,
  resumableParts,
  resumableUploads,
  type UploadScope,
} from "./resumable-uploads.table.ts";
import { type Holder, heldUntil, holderText, isTakenBy } from "./upload-holds.repo.ts";

/** Matches what a caller sees. */
export const inScope = ({ accountId, deliveryId }: UploadScope) =>
  and(
    eq(resumableUploads.accountId, accountId),
    deliveryId === null ? isNull(resumableUploads.deliveryId) : eq(resumableUploads.deliveryId, deliveryId),
    isNull(resumableUploads.receiverId),
    ne(resumableUploads.state, "ended"),
  );

/** Makes creations of an account run one after another until the transaction ends. */
export async function lockCreation(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`resumable ${accountId}`}, 0))`);
}

export async function insertResumable(
  tx: Tx,
  row: typeof resumableUploads.$inferInsert,
): Promise<ResumableUpload> {
  const [inserted] = await tx.insert(resumableUploads).values(row).returning();
  if (!inserted) throw new Error("the upload was not inserted");
  return inserted;
}

/** The uploads of all accounts and nodes that are not taken in yet, and the bytes reserved for those still arriving. */
export async function measureAllOpen(
  db: DbOrTx,
): Promise<{ receiving: number; processing: number; reservedBytes: number; receivedBytes: number }> {
  const { state, sizeBytes, receivedBytes } = resumableUploads;
  const isReceiving = sql`filter (where ${state} = 'receiving')`;
  const [row] = await db
    .select({
      receiving: sql`count(*) ${isReceiving}`.mapWith(Number),
      processing: sql`count(*) filter (where ${state} = 'processing')`.mapWith(Number),
      reservedBytes: sql`coalesce(sum(${sizeBytes}) ${isReceiving}, 0)`.mapWith(Number),
      receivedBytes: sql`coalesce(sum(${receivedBytes}) ${isReceiving}, 0)`.mapWith(Number),
    })
    .from(resumableUploads)
    .where(inArray(state, ["receiving", "processing"]));
  return row ?? { receiving: 0, processing: 0, reservedBytes: 0, receivedBytes: 0 };
}

const resumableRow = prepared((db, given: Given<UploadScope & { id: string; now: string }>) =>
  db
    .select()
    .from(resumableUploads)
    .where(
      and(
        eq(resumableUploads.id, given.id),
        eq(resumableUploads.accountId, given.accountId),
        sql`${resumableUploads.deliveryId} is not distinct from ${given.deliveryId}::uuid`,
        isNull(resumableUploads.receiverId),
        ne(resumableUploads.state, "ended"),
        sql`${resumableUploads.expiresAt} > ${given.now}::timestamptz`,
      ),
    ),
);

export async function findResumable(
  db: DbOrTx,
  { accountId, deliveryId }: UploadScope,
  id: string,
  now: Date,
): Promise<ResumableUpload | undefined> {
  const [row] = await resumableRow(db, {
    accountId,
    deliveryId,
    id,
    now: now.toISOString(),
  });
  return row;
}

/** The newest first. */
export async function listResumable(
  db: DbOrTx,
  scope: UploadScope,
  now: Date,
  limit: number,
): Promise<ResumableUpload[]> {
  return await db
    .select()
    .from(resumableUploads)
    .where(and(inScope(scope), sql`${resumableUploads.expiresAt} > ${now.toISOString()}`))
    .orderBy(desc(resumableUploads.id))
    .limit(limit);
}

/** Everything that is on its way into an account, whoever sends it, and the notices of what came. */
export async function listResumablesOf(
  db: DbOrTx,
  accountId: string,
  limit: number,
): Promise<ResumableUpload[]> {
  return await db
    .select()
    .from(resumableUploads)
    .where(and(eq(resumableUploads.accountId, accountId), ne(resumableUploads.state, "ended")))
    .orderBy(resumableUploads.id)
    .limit(limit);
}

/** Bytes of an upload that are on stable storage from now on. */
export interface ReceivedBytes {
  offset: number;
  expiresAt: Date;
  address: string;
  /** Whether these were its last. */
  isComplete: boolean;
  /** Whether the request ends here. Anybody may have the upload then. */
  isEnd: boolean;
  /** Whether the upload keeps the holder's name beyond the end, by which the holder can tell that nobody else had it since. */
  isResting: boolean;
  added: ResumablePart[];
  /** Parts whose bytes are in an added one. */
  replaced: string[];
}

type ReceivedRow = Pick<ReceivedBytes, "offset" | "expiresAt" | "address"> & {
  id: string;
  formerHolder: string;
  state: "receiving" | "processing";
  holder: string | null;
  isHeld: boolean;
};

const receivedRow = prepared((db, given: Given<ReceivedRow>) => {
  const { expiresAt, address, heldBy, state } = resumableUploads;
  return db
    .update(resumableUploads)
    .set({
      receivedBytes: sql`${given.offset}::bigint`,
      expiresAt: sql`${sql.param(given.expiresAt, expiresAt)}`,
      address: sql`${sql.param(given.address, address)}`,
      state: sql`${given.state}::resumable_state`,
      heldBy: sql`${given.holder}::text`,
      heldUntil: sql`case when ${given.isHeld}::boolean then ${heldUntil} end`,
    })
    .where(and(eq(resumableUploads.id, given.id), eq(heldBy, given.formerHolder), eq(state, "receiving")))
    .returning({ id: resumableUploads.id });
});

/** Records received bytes; returns `false` if the holder lost the upload. */
export async function recordReceived(
  tx: DbOrTx,
  id: string,
  holder: Holder,
  { added, replaced, ...received }: ReceivedBytes,
): Promise<boolean> {
  const { offset, expiresAt, address, isComplete, isEnd, isResting } = received;
  const isHeld = !isEnd && !isComplete;
  const updated = await receivedRow(tx, {
    id,
    offset,
    expiresAt,
    address,
    formerHolder: holderText(holder),
    state: isComplete ? "processing" : "receiving",
    holder: isHeld || (isResting && !isComplete) ? holderText(holder) : null,
    isHeld,
  });
  if (updated.length === 0) return false;
  if (replaced.length > 0) await tx.delete(resumableParts).where(inArray(resumableParts.id, replaced));
  if (added.length > 0) await tx.insert(resumableParts).values(added);
  return true;
}

/** Sets an upload back to before its last part, whose bytes are gone. */
export async function dropLastPart(tx: Tx, part: ResumablePart, receivedBytes: number): Promise<void> {
  if (!(await setBack(tx, part.uploadId, receivedBytes, part.offset))) return;
  await tx.delete(resumableParts).where(eq(resumableParts.id, part.id));
}

/** Sets an upload back whose last bytes are gone. Returns `false` if it is at another offset meanwhile. */
export async function setBack(
  db: DbOrTx,
  id: string,
  fromOffset: number,
  toOffset: number,
): Promise<boolean> {
  const set = await db
    .update(resumableUploads)
    .set({ receivedBytes: toOffset })
    .where(
      and(
        eq(resumableUploads.id, id),
        eq(resumableUploads.state, "receiving"),
        eq(resumableUploads.receivedBytes, fromOffset),
      ),
    )
    .returning({ id: resumableUploads.id });
  return set.length === 1;
}

export async function listParts(db: DbOrTx, uploadId: string): Promise<ResumablePart[]> {
  return await db
    .select()
    .from(resumableParts)
    .where(eq(resumableParts.uploadId, uploadId))
    .orderBy(asc(resumableParts.offset));
}

export async function findLastPart(db: DbOrTx, uploadId: string): Promise<ResumablePart | undefined> {
  const [row] = await db
    .select()
    .from(resumableParts)
    .where(eq(resumableParts.uploadId, uploadId))
    .orderBy(desc(resumableParts.offset))
    .limit(1);
  return row;
}

/**
 * Gives a whole upload to a run of the job, and ends any run before it, which can no longer commit. `isFirst`: no run had it before.
 * `undefined` if it waits for none.
 */
export async function takeForProcessing(
  tx: Tx,
  id: string,
  holder: Holder,
): Promise<{ upload: ResumableUpload; isFirst: boolean } | undefined> {
  const [upload] = await tx
    .select()
    .from(resumableUploads)
    .where(and(eq(resumableUploads.id, id), eq(resumableUploads.state, "processing")))
    .for("update");
  if (!upload) return undefined;
  await tx
    .update(resumableUploads)
    .set({ heldBy: holderText(holder), problem: null })
    .where(eq(resumableUploads.id, id));
  return { upload, isFirst: upload.heldBy === null };
}

/** Ends a run with what it stored, or why it stored nothing. Returns `false` if another run has the upload, or it was dismissed. */
export async function settleProcessing(
  tx: DbOrTx,
  id: string,
  holder: Holder,
  outcome: { result: UploadAnswer } | { problem: object },
): Promise<boolean> {
  const settled = await tx
    .update(resumableUploads)
    .set({ state: "result" in outcome ? "done" : "failed", ...outcome })
    .where(isTakenBy(id, holder))
    .returning({ id: resumableUploads.id });
  return settled.length === 1;
}
