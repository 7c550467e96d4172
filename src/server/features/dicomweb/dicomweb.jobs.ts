import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { describeOlderSeries } from "./older-series/describe-older-series.ts";
import { readOlderStudies } from "./older-series/read-older-studies.ts";

const attributesQueue = defineQueue<{ afterSeriesId: string | null }>("attributes.fill", {
  retryLimit: 2,
  exclusive: true,
});
/** The queue has the name by which an older node beside this one knows it. */
const studiesQueue = defineQueue<{ afterStudyId: string | null }>("names.read", {
  retryLimit: 2,
  exclusive: true,
});
/** An older node may go on storing studies beside this one. */
const STUDIES_CRON = "41 3 * * *";

/**
 * Reads what searches ask for of studies that an older release stored: once after each start, a run at a time; what it left out of
 * a study that it described also once a day.
 */
export async function startDicomwebJobs({ jobs, ...deps }: Deps): Promise<void> {
  await jobs.work(attributesQueue, async ({ afterSeriesId }, { signal }) => {
    const next = await describeOlderSeries(deps, afterSeriesId, signal);
    if (next !== undefined)
      await jobs.enqueue(attributesQueue, { afterSeriesId: next }, { singletonKey: next });
  });
  await jobs.enqueue(attributesQueue, { afterSeriesId: null }, { singletonKey: "start" });
  await jobs.work(studiesQueue, async ({ afterStudyId }, { signal }) => {
    const next = await readOlderStudies(deps, afterStudyId, signal);
    if (next !== undefined) await jobs.enqueue(studiesQueue, { afterStudyId: next }, { singletonKey: next });
  });
  await jobs.enqueue(studiesQueue, { afterStudyId: null }, { singletonKey: "start" });
  await jobs.schedule(studiesQueue, STUDIES_CRON, { afterStudyId: null });
}
