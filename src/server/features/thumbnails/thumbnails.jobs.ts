import type { Deps } from "../../deps.ts";
import type { JobRun } from "../../jobs/jobs.ts";
import { makeThumbnails } from "./make-thumbnails.ts";
import { redrawQueue, thumbnailQueue, thumbnailSweepQueue } from "./thumbnail-queues.ts";
import { listUnpicturedStudies } from "./thumbnails.repo.ts";

const STUDIES_PER_SWEEP = 500;
const STUDIES_AT_A_TIME = 5;

/** Starts the jobs that make pictures of series, and looks for studies that were archived without them. */
export async function startThumbnailJobs(deps: Deps): Promise<void> {
  const { jobs } = deps;
  const make = async ({ studyId }: { studyId: string }, run: JobRun) => {
    await deps.bursts.letPass(run, deps.clock.now());
    await makeThumbnails(deps, studyId, run.signal);
  };
  await jobs.work(thumbnailQueue, make, { batchSize: STUDIES_AT_A_TIME });
  await jobs.work(redrawQueue, make);
  await jobs.work(thumbnailSweepQueue, ({ afterStudyId }) => sweepUnpictured(deps, afterStudyId));
  await jobs.enqueue(thumbnailSweepQueue, { afterStudyId: null });
}

/** Enqueues a batch of studies, and the sweep of the next batch. */
export async function sweepUnpictured(
  { db, jobs }: Pick<Deps, "db" | "jobs">,
  afterStudyId: string | null,
): Promise<void> {
  const studyIds = await listUnpicturedStudies(db, afterStudyId, STUDIES_PER_SWEEP);
  for (const studyId of studyIds) await jobs.enqueue(thumbnailQueue, { studyId });
  const last = studyIds.at(-1);
  if (last && studyIds.length === STUDIES_PER_SWEEP)
    await jobs.enqueue(thumbnailSweepQueue, { afterStudyId: last });
}
