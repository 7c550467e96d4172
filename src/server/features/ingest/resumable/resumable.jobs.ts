import type { Deps } from "../../../deps.ts";
import type { DeliveryGate } from "./delivery-gate.ts";
import { finishUpload } from "./finish-upload.ts";
import { finishQueue, resumableSweepQueue } from "./resumable-queues.ts";
import { sweepArriving, sweepResumables } from "./sweep-resumables.ts";

/** Most of the time a run waits for its turn among all uploads. */
const FINISHED_AT_ONCE = 8;
/** Of one account, or of all trial accounts. */
const FINISHED_AT_ONCE_OF_ACCOUNT = 4;

/** Takes in uploads that are whole, and sweeps those that ended, every ten minutes and after a start. */
export async function startResumableJobs(deps: Deps & { gate: DeliveryGate }): Promise<void> {
  await sweepArriving(deps);
  await deps.jobs.work(finishQueue, ({ uploadId }, run) => finishUpload(deps, uploadId, run), {
    concurrency: FINISHED_AT_ONCE,
    perGroup: FINISHED_AT_ONCE_OF_ACCOUNT,
  });
  await deps.jobs.work(resumableSweepQueue, (_, { signal }) => sweepResumables(deps, signal));
  await deps.jobs.schedule(resumableSweepQueue, "*/10 * * * *", {});
  await deps.jobs.enqueue(resumableSweepQueue, {}, { singletonKey: "sweep" });
}
