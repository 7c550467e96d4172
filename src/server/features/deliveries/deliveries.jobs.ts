import { addDays } from "../../../shared/rules/days.ts";
import type { Deps } from "../../deps.ts";
import { inBatches } from "../../jobs/in-batches.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { deleteRequestsOverBefore } from "./requests.repo.ts";

const cleaning = defineQueue("requests.clean", { retryLimit: 1 });

/** How long a request that is over stays listed, with its deliveries. */
const KEPT_DAYS = 90;
const AT_ONCE = 500;

export async function startDeliveryJobs(deps: Pick<Deps, "jobs" | "db" | "databaseClock">): Promise<void> {
  await deps.jobs.work(cleaning, () => forgetOldRequests(deps));
  await deps.jobs.schedule(cleaning, "23 4 * * *", {});
}

/** Deletes requests that have been over for long, within a bound: the rest waits for the next day. */
export async function forgetOldRequests({
  db,
  databaseClock,
}: Pick<Deps, "db" | "databaseClock">): Promise<void> {
  const before = addDays(await databaseClock.nowForDeletion(db), -KEPT_DAYS);
  await inBatches(AT_ONCE, (limit) => deleteRequestsOverBefore(db, before, limit));
}
