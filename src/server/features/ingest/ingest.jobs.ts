import type { Deps } from "../../deps.ts";
import { adoptUpload } from "../../holdings/sweeping/adopt-upload.ts";
import { sweepDeadNodes } from "../../holdings/sweeping/sweep-dead-nodes.ts";
import {
  adoptionQueue,
  deadNodesQueue,
  removalQueue,
  sweepQueue,
} from "../../holdings/sweeping/sweep-jobs.ts";
import { endDeadUploads, sweepUploads } from "../../holdings/sweeping/sweep-uploads.ts";
import { removeAbandonedBytes } from "../../holdings/uploads/abandon-upload.ts";
import { queueOfNode } from "../../jobs/queue.ts";

/**
 * Gives up what a former run was receiving, then sweeps in the background, now and hourly: a store that can't be
 * reached must not keep the server from starting. Every minute one node looks after those that are gone.
 */
export async function startIngestJobs(deps: Deps): Promise<void> {
  const { jobs } = deps;
  await endDeadUploads(deps);
  await jobs.work(queueOfNode(sweepQueue, deps.node.id), () => sweepUploads(deps));
  await scheduleSweep(deps);
  await jobs.work(removalQueue, async ({ uploadIds }, { signal }) => {
    for (const uploadId of uploadIds) await removeAbandonedBytes(deps, uploadId, signal);
  });
  await jobs.work(adoptionQueue, async ({ nodeId, uploadIds }, { signal }) => {
    for (const uploadId of uploadIds) await adoptUpload(deps, nodeId, uploadId, signal);
  });
  await jobs.work(deadNodesQueue, () => sweepDeadNodes(deps));
  await jobs.schedule(deadNodesQueue, "* * * * *", {});
}

/** Also of a node that others took for dead: they emptied its queue. */
export async function scheduleSweep({ jobs, node }: Pick<Deps, "jobs" | "node">): Promise<void> {
  const queue = queueOfNode(sweepQueue, node.id);
  await jobs.schedule(queue, "17 * * * *", {});
  await jobs.enqueue(queue, {});
}
