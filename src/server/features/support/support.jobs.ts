import { addDays } from "../../../shared/rules/days.ts";
import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { deleteOldSupportMessages } from "./support.repo.ts";

const cleaning = defineQueue("support.clean", { retryLimit: 1 });

/** A reply is promised within 48 hours; the rest of the year leaves time for follow-up questions. */
const KEPT_DAYS = 365;

export async function startSupportJobs({ jobs, db, clock }: Deps): Promise<void> {
  await jobs.work(cleaning, () => deleteOldSupportMessages(db, addDays(clock.now(), -KEPT_DAYS)));
  await jobs.schedule(cleaning, "37 * * * *", {});
}
