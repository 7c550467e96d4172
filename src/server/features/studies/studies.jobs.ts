import type { Deps } from "../../deps.ts";
import { checkStudyQueue, damageNoticeQueue, nodeCheckQueue } from "../../holdings/holding-queues.ts";
import { checkStudy } from "./check-study.ts";
import { mailDamage } from "./mail-damage.ts";

/** Starts the jobs that check studies and mail the admin about damage. */
export async function startStudyJobs(deps: Deps): Promise<void> {
  const { jobs } = deps;
  for (const queue of [checkStudyQueue, nodeCheckQueue(deps.node.id)])
    await jobs.work(queue, ({ studyId }, { signal }) => checkStudy(deps, studyId, signal));
  await jobs.work(damageNoticeQueue, (damage) => mailDamage(deps, damage));
}
