import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { describeOlderSeries } from "./describe-older-series.ts";

const attributesQueue = defineQueue<{ afterSeriesId: string | null }>("attributes.fill", {
  retryLimit: 2,
  exclusive: true,
});

/** Reads what searches ask for of series that an older release stored: once after each start, a run at a time. */
export async function startDicomwebJobs({ jobs, ...deps }: Deps): Promise<void> {
  await jobs.work(attributesQueue, async ({ afterSeriesId }, { signal }) => {
    const next = await describeOlderSeries(deps, afterSeriesId, signal);
    if (next !== undefined)
      await jobs.enqueue(attributesQueue, { afterSeriesId: next }, { singletonKey: next });
  });
  await jobs.enqueue(attributesQueue, { afterSeriesId: null }, { singletonKey: "start" });
}
