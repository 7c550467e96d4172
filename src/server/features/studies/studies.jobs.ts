import type { Deps } from "../../deps.ts";
import { damageNoticeQueue } from "../../holdings/holding-jobs.ts";
import { checkStudy } from "./check-study.ts";
import { mailDamage } from "./mail-damage.ts";
import { checkStudyQueue } from "./study-jobs.ts";

/** Starts the jobs that check studies and mail the admin about damage. */
export async function startStudyJobs(deps: Deps): Promise<void> {
  const { jobs } = deps;
  await jobs.work(checkStudyQueue, ({ studyId }, { signal }) => checkStudy(deps, studyId, signal));
  await jobs.work(damageNoticeQueue, (damage) => mailDamage(deps, damage));
}
