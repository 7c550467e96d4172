import type { Deps } from "../../deps.ts";
import { transferQueue } from "../../holdings/holding-queues.ts";
import { listStoredObjects } from "../../holdings/objects/stored-objects.repo.ts";
import { AppError } from "../../http/app-error.ts";
import { isSwept } from "../../nodes/nodes.repo.ts";
import { findStudy } from "./access/find-study.ts";
import { owns } from "./access/study-access.ts";
import { studyNodeGone, studyNotOwner } from "./studies.errors.ts";
import type { Caller } from "./studies.repo.ts";
import { setStatusOfStaged } from "./study-storage.repo.ts";

/**
 * Retries the transfer of a study's staged objects now, each on the node that holds them; the study shows it at once. Idempotent.
 * @throws {AppError} `study.not_found`, `study.not_owner`, `study.node_gone`
 */
export async function retryTransfer(
  deps: Pick<Deps, "db" | "jobs">,
  caller: Caller,
  reference: string,
): Promise<void> {
  const study = await findStudy(deps.db, caller, reference);
  if (!owns(caller, study)) throw new AppError(studyNotOwner);
  const staged = new Map<string, string>();
  for (const object of await listStoredObjects(deps.db, study.id)) {
    if (object.location === "staging" && object.stagedOn !== null)
      staged.set(object.uploadId, object.stagedOn);
  }
  for (const nodeId of new Set(staged.values())) {
    if (await isSwept(deps.db, nodeId)) throw new AppError(studyNodeGone);
  }
  for (const [uploadId, nodeId] of staged) {
    await deps.db.transaction(async (tx) => {
      await setStatusOfStaged(tx, uploadId, "transferring");
      await deps.jobs.enqueue(transferQueue(nodeId), { uploadId }, { tx });
    });
  }
}
