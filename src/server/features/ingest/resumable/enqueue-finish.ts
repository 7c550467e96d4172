import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { findFinisher } from "./finishers.repo.ts";
import { finishQueue } from "./resumable-queues.ts";

/** The lowest rank: all uploads of an account beyond this number wait with the same priority. */
const MAX_WAITING_BEFORE = 100;

/**
 * Has a whole upload taken in, unless it is about to be. Accounts take turns: the first upload of one that waits comes before the second of
 * another, and neither an account nor all trial accounts together hold all places.
 */
export async function enqueueFinish(jobs: Deps["jobs"], tx: Tx, uploadId: string): Promise<void> {
  const finisher = await findFinisher(tx, uploadId);
  if (!finisher) return;
  const { accountId, isTrial, waiting } = finisher;
  const group = isTrial ? "trial" : accountId;
  const priority = -Math.min(MAX_WAITING_BEFORE, Math.max(0, waiting - 1));
  await jobs.enqueue(finishQueue, { uploadId }, { tx, singletonKey: uploadId, group, priority });
}
