import type { Deps } from "../../deps.ts";
import { defineQueue, queueOfNode } from "../../jobs/queue.ts";
import { endDeadUploads, sweepUploads } from "./sweep-uploads.ts";

const sweeps = defineQueue<Record<never, never>>("uploads.sweep", { retryLimit: 1 });

/**
 * Gives up what a former run was receiving, then sweeps in the background, now and hourly: a store that can't be
 * reached must not keep the server from starting.
 */
export async function startIngestJobs(deps: Deps): Promise<void> {
  await endDeadUploads(deps);
  const queue = queueOfNode(sweeps, deps.node.id);
  await deps.jobs.work(queue, () => sweepUploads(deps));
  await deps.jobs.schedule(queue, "17 * * * *", {});
  await deps.jobs.enqueue(queue, {});
}
