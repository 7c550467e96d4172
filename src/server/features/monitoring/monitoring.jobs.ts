import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { tellOfLowDisks } from "./tell-of-low-disks.ts";

const diskWatch = defineQueue("disks.watch", { retryLimit: 1 });

/** Looks every five minutes, on one node for all, at what the nodes' beats told of their disks. */
export async function startMonitoringJobs(deps: Deps): Promise<void> {
  await deps.jobs.work(diskWatch, () => tellOfLowDisks(deps));
  await deps.jobs.schedule(diskWatch, "*/5 * * * *", {});
}
