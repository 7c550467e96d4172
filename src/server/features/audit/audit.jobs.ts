import { addDays } from "../../../shared/rules/subscription.ts";
import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { deleteOldAudit, forgetAddresses } from "./audit.repo.ts";

const cleaning = defineQueue<Record<never, never>>("audit.clean", { retryLimit: 1 });

/** Marco Civil da Internet, art. 15: access logs are kept for six months. */
export const addressDays = 183;
/** As long as claims about an account that is gone can be made (CDC art. 27). */
export const auditDays = 5 * 366;

const AT_ONCE = 1_000;
const BATCHES = 100;

/** Each day takes out of the audit what is past its time, of nobody who still has an account. */
export async function startAuditJobs(deps: Pick<Deps, "jobs" | "db" | "clock">): Promise<void> {
  const { jobs } = deps;
  await jobs.work(cleaning, () => cleanAudit(deps));
  await jobs.schedule(cleaning, "7 4 * * *", {});
}

export async function cleanAudit({ db, clock }: Pick<Deps, "db" | "clock">): Promise<void> {
  const now = clock.now();
  const addressesEnd = addDays(now, -addressDays);
  await inBatches(() => forgetAddresses(db, addressesEnd, AT_ONCE));
  await inBatches(() => deleteOldAudit(db, { before: addressesEnd, ofVisitors: true, limit: AT_ONCE }));
  await inBatches(() =>
    deleteOldAudit(db, { before: addDays(now, -auditDays), ofVisitors: false, limit: AT_ONCE }),
  );
}

/** The rest is for the next day. */
async function inBatches(doSome: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch++) if ((await doSome()) < AT_ONCE) return;
}
