import type { Deps } from "../../deps.ts";
import { sweepForgottenDerivatives } from "../../holdings/derivatives/discard-derivative.ts";
import { derivativeQueue } from "../../holdings/holding-queues.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { listUncopiedStudies } from "./derivatives.repo.ts";
import { makeDerivatives } from "./make-derivatives.ts";

/** Looks for archived studies without copies, one batch after `afterStudyId`, and for copies that belong to nothing. */
const derivativeSweepQueue = defineQueue<{ afterStudyId: string | null }>("derivatives.sweep", {
  retryLimit: 1,
});

const STUDIES_PER_SWEEP = 500;

/**
 * Starts the jobs that make lossless copies of series, one study at a time, and looks each hour for what they missed. Copies are
 * swept even where none are made any more.
 */
export async function startDerivativeJobs(deps: Deps): Promise<void> {
  const { jobs, config } = deps;
  if (config.hasDerivatives)
    await jobs.work(derivativeQueue, ({ studyId }, { signal }) => makeDerivatives(deps, studyId, signal));
  await jobs.work(derivativeSweepQueue, ({ afterStudyId }) => sweepDerivatives(deps, afterStudyId));
  await jobs.schedule(derivativeSweepQueue, "37 * * * *", { afterStudyId: null });
  await jobs.enqueue(derivativeSweepQueue, { afterStudyId: null });
}

/** Enqueues a batch of studies, and the sweep of the next batch. */
export async function sweepDerivatives(
  deps: Pick<Deps, "db" | "jobs" | "config">,
  afterStudyId: string | null,
): Promise<void> {
  const { db, jobs, config } = deps;
  if (afterStudyId === null) await sweepForgottenDerivatives(deps);
  if (!config.hasDerivatives) return;
  const studyIds = await listUncopiedStudies(db, afterStudyId, STUDIES_PER_SWEEP);
  for (const studyId of studyIds) await jobs.enqueue(derivativeQueue, { studyId }, { singletonKey: studyId });
  const last = studyIds.at(-1);
  if (last && studyIds.length === STUDIES_PER_SWEEP)
    await jobs.enqueue(derivativeSweepQueue, { afterStudyId: last });
}
