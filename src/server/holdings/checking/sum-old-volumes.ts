import type { Deps } from "../../deps.ts";
import { sumSweepQueue } from "../holding-jobs.ts";
import type { ObjectDeps } from "../reading/open-object.ts";
import { checkObject } from "./check-object.ts";
import { listVolumesWithoutSums } from "./object-sums.repo.ts";

const VOLUMES_PER_SWEEP = 10;
/** Between two sweeps, so that what people do comes first. */
const PAUSE_SECONDS = 20;

/**
 * Reads a batch of volumes whole that an older release wrote, which kept no sums of their pieces: until then each read
 * of one checks the entry it lies in. Enqueues the batch behind them.
 */
export async function sumOldVolumes(
  deps: ObjectDeps & Pick<Deps, "jobs">,
  afterId: string | null,
  signal: AbortSignal,
): Promise<void> {
  const volumes = await listVolumesWithoutSums(deps.db, afterId, VOLUMES_PER_SWEEP);
  for (const volume of volumes) {
    signal.throwIfAborted();
    await checkObject(deps, volume);
  }
  const last = volumes.at(-1);
  if (!last || volumes.length < VOLUMES_PER_SWEEP) return;
  const behind = { singletonKey: last.id, runAfterSeconds: PAUSE_SECONDS };
  await deps.jobs.enqueue(sumSweepQueue, { afterId: last.id }, behind);
}
