import type { Deps } from "../../deps.ts";
import { defineQueue, queueOfNode } from "../../jobs/queue.ts";
import { sweepUploads } from "./sweep-uploads.ts";

const sweeps = defineQueue<Record<never, never>>("uploads.sweep", { retryLimit: 1 });

/** Sweeps now, so that nothing of a former run is left when the first upload comes, and hourly. */
export async function startIngestJobs(deps: Deps): Promise<void> {
  await sweepUploads(deps);
  const queue = queueOfNode(sweeps, deps.node.id);
  await deps.jobs.work(queue, () => sweepUploads(deps));
  await deps.jobs.schedule(queue, "17 * * * *", {});
}
