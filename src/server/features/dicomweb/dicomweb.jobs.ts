import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { describeOlderSeries } from "./older-series/describe-older-series.ts";
import { readOlderNames } from "./older-series/read-older-names.ts";

const attributesQueue = defineQueue<{ afterSeriesId: string | null }>("attributes.fill", {
  retryLimit: 2,
  exclusive: true,
});
const namesQueue = defineQueue<{ afterStudyId: string | null }>("names.read", {
  retryLimit: 2,
  exclusive: true,
});
/** An older node may go on storing studies beside this one. */
const NAMES_CRON = "41 3 * * *";

/**
 * Reads what searches ask for of studies that an older release stored: once after each start, a run at a time; names also once a
 * day.
 */
export async function startDicomwebJobs({ jobs, ...deps }: Deps): Promise<void> {
  await jobs.work(attributesQueue, async ({ afterSeriesId }, { signal }) => {
    const next = await describeOlderSeries(deps, afterSeriesId, signal);
    if (next !== undefined)
      await jobs.enqueue(attributesQueue, { afterSeriesId: next }, { singletonKey: next });
  });
  await jobs.enqueue(attributesQueue, { afterSeriesId: null }, { singletonKey: "start" });
  await jobs.work(namesQueue, async ({ afterStudyId }, { signal }) => {
    const next = await readOlderNames(deps, afterStudyId, signal);
    if (next !== undefined) await jobs.enqueue(namesQueue, { afterStudyId: next }, { singletonKey: next });
  });
  await jobs.enqueue(namesQueue, { afterStudyId: null }, { singletonKey: "start" });
  await jobs.schedule(namesQueue, NAMES_CRON, { afterStudyId: null });
}
