import { and, eq, isNull, or, sql } from "drizzle-orm";
import type { DbOrTx } from "../../../db/client.ts";
import { type Given, prepared } from "../../../db/prepared.ts";
import { type ResumableUpload, resumableUploads, type UploadScope } from "./resumable-uploads.table.ts";

/** The writer of an upload: a request, or a run of the job. */
export interface Holder {
  nodeId: string;
  bootId: string;
  /** Unique. */
  id: string;
}

/** A request that got no byte for this long may lose the upload to another one. */
export const HELD_SECONDS = 5;

export const heldUntil = sql`now() + make_interval(secs => ${HELD_SECONDS})`;

export const holderText = ({ nodeId, bootId, id }: Holder) => `${nodeId} ${bootId} ${id}`;

const newHold = prepared(
  (
    db,
    given: Given<
      UploadScope & { id: string; offset: number; now: string; holder: string; node: string; run: string }
    >,
  ) =>
    db
      .update(resumableUploads)
      .set({ heldBy: sql`${given.holder}`, heldUntil })
      .where(
        and(
          eq(resumableUploads.id, given.id),
          eq(resumableUploads.accountId, given.accountId),
          sql`${resumableUploads.deliveryId} is not distinct from ${given.deliveryId}::uuid`,
          isNull(resumableUploads.receiverId),
          eq(resumableUploads.state, "receiving"),
          sql`${resumableUploads.expiresAt} > ${given.now}::timestamptz`,
          eq(resumableUploads.receivedBytes, given.offset),
          or(
            isNull(resumableUploads.heldUntil),
            sql`${resumableUploads.heldUntil} <= now()`,
            sql`starts_with(${resumableUploads.heldBy}, ${given.node}) and not starts_with(${resumableUploads.heldBy}, ${given.run})`,
          ),
          // A hold need not outlive the database's process, so its commit does not wait for the disk.
          sql`set_config('synchronous_commit', 'off', true) is not null`,
        ),
      )
      .returning(),
);

/** The part of an upload that a request of a caller brings. */
export interface WantedUpload extends UploadScope {
  id: string;
  /** Where the caller believes it to be. */
  offset: number;
  now: Date;
}

/**
 * Gives an upload that its caller sees to a request, if it stands at `offset` and more may come. Another one's hold ends when it brings
 * no bytes for some seconds, or when its process was started anew.
 */
export async function holdUpload(
  db: DbOrTx,
  { accountId, deliveryId, id, offset, now }: WantedUpload,
  holder: Holder,
): Promise<ResumableUpload | undefined> {
  const node = `${holder.nodeId} `;
  const [held] = await newHold(db, {
    accountId,
    deliveryId,
    id,
    offset,
    now: now.toISOString(),
    holder: holderText(holder),
    node,
    run: `${node}${holder.bootId} `,
  });
  return held;
}

/** Returns `false` if the holder lost the upload. */
export async function renewHold(db: DbOrTx, id: string, holder: Holder): Promise<boolean> {
  const renewed = await db
    .update(resumableUploads)
    .set({ heldUntil })
    .where(isHeldBy(id, holder))
    .returning({ id: resumableUploads.id });
  return renewed.length === 1;
}

export async function releaseHold(db: DbOrTx, id: string, holder: Holder): Promise<void> {
  await db.update(resumableUploads).set({ heldBy: null, heldUntil: null }).where(isHeldBy(id, holder));
}

const isHeldAs = (state: "receiving" | "processing") => (id: string, holder: Holder) =>
  and(
    eq(resumableUploads.id, id),
    eq(resumableUploads.heldBy, holderText(holder)),
    eq(resumableUploads.state, state),
  );

/** An upload to which the holder adds. */
export const isHeldBy = isHeldAs("receiving");
/** A whole upload that the holder, a run of its job, takes in. */
export const isTakenBy = isHeldAs("processing");
