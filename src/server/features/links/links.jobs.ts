import { addDays } from "../../../shared/rules/days.ts";
import type { Deps } from "../../deps.ts";
import { inBatches } from "../../jobs/in-batches.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { deleteLinksOverBefore } from "./links.repo.ts";
import { blockUsedUp, lastTryQueue } from "./passcode.ts";

const cleaning = defineQueue("links.clean", { retryLimit: 1 });

/** How long a link that is over stays listed, with its openings. */
const KEPT_DAYS = 90;
const AT_ONCE = 500;

export async function startLinkJobs(
  deps: Pick<Deps, "jobs" | "db" | "clock" | "databaseClock" | "config" | "mailSeal">,
): Promise<void> {
  await deps.jobs.work(lastTryQueue, (lastTry) => blockUsedUp(deps, lastTry));
  await deps.jobs.work(cleaning, () => forgetOldLinks(deps));
  await deps.jobs.schedule(cleaning, "17 4 * * *", {});
}

/** Deletes links that have been over for long, within a bound: the rest waits for the next day. */
export async function forgetOldLinks({
  db,
  databaseClock,
}: Pick<Deps, "db" | "databaseClock">): Promise<void> {
  const before = addDays(await databaseClock.nowForDeletion(db), -KEPT_DAYS);
  await inBatches(AT_ONCE, (limit) => deleteLinksOverBefore(db, before, limit));
}
