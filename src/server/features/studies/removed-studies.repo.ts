import { and, eq, exists, inArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Tx } from "../../db/client.ts";
import { takeDerivativesOf } from "../../holdings/derivatives/derivatives.repo.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import type { DiscardedObject } from "../../holdings/objects/discard-objects.ts";
import { storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { studies } from "./studies.table.ts";

/**
 * Hides the studies that an account keeps, as part of `removalId`; returns how many. The caller must hold the subscription's lock,
 * which uploads take first.
 */
export async function removeStudiesOf(tx: Tx, accountId: string, removalId: string): Promise<number> {
  const ofAccount = and(isKept(studies), eq(studies.accountId, accountId));
  // The studies are locked in the order in which transfers lock them.
  await tx.select({ id: studies.id }).from(studies).where(ofAccount).orderBy(studies.id).for("update");
  const taken = await tx.update(studies).set({ removalId }).where(ofAccount).returning({ id: studies.id });
  return taken.length;
}

/** Brings back the studies of a removal, except those that the account has uploaded again meanwhile. */
export async function bringStudiesBack(
  tx: Tx,
  removalId: string,
): Promise<{ studies: number; skippedStudies: number }> {
  const removed = await tx
    .select({ id: studies.id })
    .from(studies)
    .where(eq(studies.removalId, removalId))
    .orderBy(studies.id)
    .for("update");
  const again = alias(studies, "again");
  const uploadedAgain = tx
    .select({ id: again.id })
    .from(again)
    .where(
      and(
        eq(again.accountId, studies.accountId),
        eq(again.studyInstanceUID, studies.studyInstanceUID),
        isKept(again),
      ),
    );
  const back = await tx
    .update(studies)
    .set({ removalId: null })
    .where(and(eq(studies.removalId, removalId), sql`not ${exists(uploadedAgain)}`))
    .returning({ id: studies.id });
  return { studies: back.length, skippedStudies: removed.length - back.length };
}

/** Deletes up to `limit` studies of a removal and returns their stored objects; `undefined` when none is left. */
export async function deleteRemovedStudies(
  tx: Tx,
  removalId: string,
  limit: number,
): Promise<DiscardedObject[] | undefined> {
  const rows = await tx
    .select({ id: studies.id })
    .from(studies)
    .where(eq(studies.removalId, removalId))
    .orderBy(studies.id)
    .limit(limit)
    .for("update");
  if (rows.length === 0) return undefined;
  const ids = rows.map((row) => row.id);
  const objects = await tx
    .select({ key: storedObjects.key, stagedOn: storedObjects.stagedOn })
    .from(storedObjects)
    .where(inArray(storedObjects.studyId, ids));
  await tx.delete(studies).where(inArray(studies.id, ids));
  return [...objects, ...(await takeDerivativesOf(tx, ids))];
}
