import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { closeAbandoned } from "../ingest/resumable/growing-upload.ts";
import { Receptions } from "./receptions.ts";

/** Takes in what was acknowledged and left behind; one node at a time. */
const abandonedQueue = defineQueue("receivers.abandoned", {
  exclusive: true,
  retryLimit: 1,
});

/** Listens for DICOM senders if `DIMSE_PORT` is set. Disposal stops listening and has everything received taken in. */
export async function startReceiving(deps: Deps): Promise<AsyncDisposable> {
  await closeAbandoned(deps);
  await deps.jobs.work(abandonedQueue, () => closeAbandoned(deps));
  await deps.jobs.schedule(abandonedQueue, "* * * * *", {});
  const receptions = new Receptions(deps);
  await deps.dimse.start(receptions);
  return {
    async [Symbol.asyncDispose]() {
      await deps.dimse.close();
      await receptions.lost();
      receptions[Symbol.dispose]();
    },
  };
}
