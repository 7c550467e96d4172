import type { Deps } from "../../deps.ts";
import { checkLabExamQueue } from "../../holdings/holding-queues.ts";
import { checkLabExam } from "./check-lab-exam.ts";

/** Starts the job that reads laboratory PDFs again. */
export async function startLabJobs(deps: Deps): Promise<void> {
  await deps.jobs.work(checkLabExamQueue, ({ labExamId }, { signal }) =>
    checkLabExam(deps, labExamId, signal),
  );
}
