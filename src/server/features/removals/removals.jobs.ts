import type { Deps } from "../../deps.ts";
import { purgeRemovals } from "./purge-removals.ts";
import { lapseQueue, purgeRemovalsQueue } from "./removal-queues.ts";
import { removeLapsed } from "./remove-lapsed.ts";

export async function startRemovalJobs(deps: Deps): Promise<void> {
  const { jobs } = deps;
  await jobs.work(purgeRemovalsQueue, () => purgeRemovals(deps));
  await jobs.schedule(purgeRemovalsQueue, "29 * * * *", {});
  await jobs.work(lapseQueue, () => removeLapsed(deps));
  await jobs.schedule(lapseQueue, "53 * * * *", {});
}
