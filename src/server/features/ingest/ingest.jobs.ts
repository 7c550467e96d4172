import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { relabelStudies } from "./relabel-study.ts";
import type { DeliveryGate } from "./resumable/delivery-gate.ts";
import { startResumableJobs } from "./resumable/resumable.jobs.ts";

const labelQueue = defineQueue("labels.sweep", {
  retryLimit: 1,
  exclusive: true,
  expireInSeconds: 6 * 3600,
});

/** Takes in resumable uploads. Writes labels that are missing or old, hourly and after a start; one node at a time. */
export async function startIngestJobs(deps: Deps & { gate: DeliveryGate }): Promise<void> {
  await startResumableJobs(deps);
  await deps.jobs.work(labelQueue, (_, { signal }) => relabelStudies(deps, signal));
  await deps.jobs.schedule(labelQueue, "43 * * * *", {});
  await deps.jobs.enqueue(labelQueue, {}, { singletonKey: "schedule" });
}
