import type { Deps } from "../../deps.ts";
import { sumSweepQueue } from "../holding-queues.ts";
import type { ObjectDeps } from "../reading/open-object.ts";
import { checkObject } from "./check-object.ts";
import { listVolumesWithoutSums } from "./object-sums.repo.ts";

const VOLUMES_PER_SWEEP = 10;
/** The pause between two batches, so that users' requests come first. */
const PAUSE_SECONDS = 20;

/**
 * Reads a batch of whole volumes that an older release wrote without sums of their pieces, and enqueues the next batch. Until a
 * volume has sums, each read of it checks the whole entry that it is in.
 */
export async function sumOldVolumes(
  deps: ObjectDeps & Pick<Deps, "jobs">,
  afterId: string | null,
  signal: AbortSignal,
): Promise<void> {
  const volumes = await listVolumesWithoutSums(deps.db, afterId, VOLUMES_PER_SWEEP);
  for (const volume of volumes) {
    signal.throwIfAborted();
    await checkObject(deps, volume, { signal });
  }
  const last = volumes.at(-1);
  if (!last || volumes.length < VOLUMES_PER_SWEEP) return;
  const behind = { singletonKey: last.id, runAfterSeconds: PAUSE_SECONDS };
  await deps.jobs.enqueue(sumSweepQueue, { afterId: last.id }, behind);
}
