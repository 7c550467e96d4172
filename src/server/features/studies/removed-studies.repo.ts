import { and, eq, exists, inArray, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Tx } from "../../db/client.ts";
import { statementChunks } from "../../db/statement-chunks.ts";
import { takeDerivativesOf } from "../../holdings/derivatives/derivatives.repo.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import type { DiscardedObject } from "../../holdings/objects/discard-objects.ts";
import { storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { studies, studyTallies } from "./studies.table.ts";

/**
 * Hides the studies that an account keeps, as part of `removalId`; returns how many. The caller must hold the subscription's lock,
 * which uploads take first.
 */
export async function removeStudiesOf(tx: Tx, accountId: string, removalId: string): Promise<number> {
  const ofAccount = and(isKept(studies), eq(studies.accountId, accountId));
  const taken = await lockInOrder(tx, ofAccount);
  // Each study is in dozens of indexes: one statement for tens of thousands would run out of time.
  for (const some of statementChunks(taken))
    await tx.update(studies).set({ removalId }).where(inArray(studies.id, some));
  return taken.length;
}

/** Locks studies in the order in which transfers lock them; returns their ids. */
async function lockInOrder(tx: Tx, condition: SQL | undefined): Promise<string[]> {
  const rows = await tx
    .select({ id: studies.id })
    .from(studies)
    .where(condition)
    .orderBy(studies.id)
    .for("update");
  return rows.map(({ id }) => id);
}

/**
 * Deletes all studies of an account, those that wait to be purged included. The account's own deletion would delete them in one
 * statement, which runs out of time at tens of thousands. Their objects are discarded before.
 */
export async function deleteStudiesOf(tx: Tx, accountId: string): Promise<void> {
  const ids = await lockInOrder(tx, eq(studies.accountId, accountId));
  for (const some of statementChunks(ids)) await tx.delete(studies).where(inArray(studies.id, some));
  await tx.delete(studyTallies).where(eq(studyTallies.accountId, accountId));
}

/** Brings back the studies of a removal, except those that the account has uploaded again meanwhile. */
export async function bringStudiesBack(
  tx: Tx,
  removalId: string,
): Promise<{ studies: number; skippedStudies: number }> {
  const removed = await lockInOrder(tx, eq(studies.removalId, removalId));
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
  let back = 0;
  for (const some of statementChunks(removed)) {
    const rows = await tx
      .update(studies)
      .set({ removalId: null })
      .where(and(inArray(studies.id, some), sql`not ${exists(uploadedAgain)}`))
      .returning({ id: studies.id });
    back += rows.length;
  }
  return { studies: back, skippedStudies: removed.length - back };
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
