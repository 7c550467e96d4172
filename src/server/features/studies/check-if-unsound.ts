import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import type { StudyRow } from "./studies.table.ts";
import { checkStudyQueue } from "./study-jobs.ts";

/**
 * Has a study read again, in the transaction that adds or takes away an object of it, if something of it was damaged or
 * gone: that may have been it.
 */
export async function checkIfUnsound(
  { jobs }: Pick<Deps, "jobs">,
  tx: Tx,
  study: Pick<StudyRow, "id" | "integrity">,
  objectId: string,
): Promise<void> {
  if (!isUnsound(study)) return;
  // A check that runs already read the study as it was before, and must not stand in this one's way.
  const singletonKey = `${study.id} ${objectId}`;
  await jobs.enqueue(checkStudyQueue, { studyId: study.id }, { tx, singletonKey });
}
