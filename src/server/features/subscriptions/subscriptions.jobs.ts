import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { sendEndNotices } from "./send-end-notices.ts";

const notices = defineQueue("subscriptions.notices", { retryLimit: 1 });

/** Looks for subscriptions that are about to end, once an hour. */
export async function startSubscriptionJobs(deps: Deps): Promise<void> {
  await deps.jobs.work(notices, () => sendEndNotices(deps));
  await deps.jobs.schedule(notices, "7 * * * *", {});
}
