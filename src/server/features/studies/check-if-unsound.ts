import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import { checkStudyQueue } from "../../holdings/holding-queues.ts";
import type { StudyRow } from "./studies.table.ts";

/**
 * Enqueues a check of a study that was damaged or missing, in the transaction that adds or removes one of its objects: that object
 * may have been the cause.
 */
export async function checkIfUnsound(
  { jobs }: Pick<Deps, "jobs">,
  tx: Tx,
  study: Pick<StudyRow, "id" | "integrity">,
  objectId: string,
): Promise<void> {
  if (!isUnsound(study)) return;
  // The key names the object too, since a check that already runs read the study as it was before and must not suppress this one.
  const singletonKey = `${study.id} ${objectId}`;
  await jobs.enqueue(checkStudyQueue, { studyId: study.id }, { tx, singletonKey });
}
