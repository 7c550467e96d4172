import { and, eq, isNull, or, sql } from "drizzle-orm";
import type { DbOrTx } from "../../../db/client.ts";
import { type Given, prepared } from "../../../db/prepared.ts";
import { resumableUploads } from "./resumable-uploads.table.ts";

/** The writer of an upload: a request, or a run of the job. */
export interface Holder {
  nodeId: string;
  bootId: string;
  /** Unique. */
  id: string;
}

/** A request that got no byte for this long may lose the upload to another one. */
const HELD_SECONDS = 5;

export const heldUntil = sql`now() + make_interval(secs => ${HELD_SECONDS})`;

export const holderText = ({ nodeId, bootId, id }: Holder) => `${nodeId} ${bootId} ${id}`;

const newHold = prepared(
  (db, given: Given<{ id: string; offset: number; holder: string; node: string; run: string }>) =>
    db
      .update(resumableUploads)
      .set({ heldBy: sql`${given.holder}`, heldUntil })
      .where(
        and(
          eq(resumableUploads.id, given.id),
          eq(resumableUploads.state, "receiving"),
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
      .returning({ id: resumableUploads.id }),
);

/**
 * Gives an upload to a request, if it still stands at `offset`. Another one's hold ends when it brings no bytes for some seconds, or
 * when its process was started anew.
 */
export async function holdUpload(db: DbOrTx, id: string, offset: number, holder: Holder): Promise<boolean> {
  const { nodeId, bootId } = holder;
  const node = `${nodeId} `;
  const held = await newHold(db, { id, offset, holder: holderText(holder), node, run: `${node}${bootId} ` });
  return held.length === 1;
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

export const isHeldBy = (id: string, holder: Holder) =>
  and(
    eq(resumableUploads.id, id),
    eq(resumableUploads.heldBy, holderText(holder)),
    eq(resumableUploads.state, "receiving"),
  );
