import { addDays } from "../../../shared/rules/days.ts";
import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { deleteOldSupportMessages } from "./support.repo.ts";

const cleaning = defineQueue("support.clean", { retryLimit: 1 });

/** A reply is promised within 48 hours; the rest of the year leaves time for follow-up questions. */
const KEPT_DAYS = 365;

export async function startSupportJobs(deps: Pick<Deps, "jobs" | "db" | "databaseClock">): Promise<void> {
  await deps.jobs.work(cleaning, () => forgetOldSupportMessages(deps));
  await deps.jobs.schedule(cleaning, "37 * * * *", {});
}

export async function forgetOldSupportMessages({
  db,
  databaseClock,
}: Pick<Deps, "db" | "databaseClock">): Promise<void> {
  await deleteOldSupportMessages(db, addDays(await databaseClock.nowForDeletion(db), -KEPT_DAYS));
}
