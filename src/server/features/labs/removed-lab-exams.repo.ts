import { and, eq, inArray } from "drizzle-orm";
import type { Tx } from "../../db/client.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import type { DiscardedObject } from "../../holdings/objects/discard-objects.ts";
import { labExams } from "./labs.table.ts";

/** Hides the exams that an account keeps, as part of `removalId`; returns how many. Their keys are free again: nobody sees them. */
export async function removeLabExamsOf(tx: Tx, accountId: string, removalId: string): Promise<number> {
  const taken = await tx
    .update(labExams)
    .set({ removalId, idempotencyKey: null })
    .where(and(isKept(labExams), eq(labExams.accountId, accountId)))
    .returning({ id: labExams.id });
  return taken.length;
}

/** Brings back the exams of a removal; returns how many. */
export async function bringLabExamsBack(tx: Tx, removalId: string): Promise<number> {
  const back = await tx
    .update(labExams)
    .set({ removalId: null })
    .where(eq(labExams.removalId, removalId))
    .returning({ id: labExams.id });
  return back.length;
}

/** Deletes up to `limit` lab exams of a removal and returns their stored objects; `undefined` when none is left. */
export async function deleteRemovedLabExams(
  tx: Tx,
  removalId: string,
  limit: number,
): Promise<DiscardedObject[] | undefined> {
  const some = tx
    .select({ id: labExams.id })
    .from(labExams)
    .where(eq(labExams.removalId, removalId))
    .orderBy(labExams.id)
    .limit(limit);
  const rows = await tx.delete(labExams).where(inArray(labExams.id, some)).returning({ key: labExams.key });
  return rows.length === 0 ? undefined : rows.map(({ key }) => ({ key, stagedOn: null }));
}
