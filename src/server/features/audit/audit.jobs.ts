import { addDays } from "../../../shared/rules/days.ts";
import type { Deps } from "../../deps.ts";
import { inBatches } from "../../jobs/in-batches.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { pseudonymiseQueue } from "./audit-queues.ts";
import { deleteOldAudit, forgetAddresses } from "./audit-retention.repo.ts";
import { pseudonymiseRest } from "./pseudonymise-audit.ts";

const cleaning = defineQueue("audit.clean", { retryLimit: 1 });

/** Marco Civil da Internet, art. 15: access logs are kept for six months. */
const addressDays = 183;
/** Claims about a deleted account can be made for this long (CDC art. 27). */
const auditDays = 5 * 366;

const AT_ONCE = 1_000;

/** Pseudonymises what deleted accounts leave, and deletes outdated audit data once a day, except rows that concern an existing account. */
export async function startAuditJobs(deps: Pick<Deps, "jobs" | "db" | "databaseClock">): Promise<void> {
  const { jobs } = deps;
  await jobs.work(pseudonymiseQueue, (rest, { signal }) => pseudonymiseRest(deps, rest, signal));
  await jobs.work(cleaning, () => cleanAudit(deps));
  await jobs.schedule(cleaning, "7 4 * * *", {});
}

export async function cleanAudit({ db, databaseClock }: Pick<Deps, "db" | "databaseClock">): Promise<void> {
  const now = await databaseClock.nowForDeletion(db);
  const addressesEnd = addDays(now, -addressDays);
  const auditEnd = addDays(now, -auditDays);
  await inBatches(AT_ONCE, (limit) => forgetAddresses(db, addressesEnd, limit));
  await inBatches(AT_ONCE, (limit) => deleteOldAudit(db, { before: addressesEnd, ofVisitors: true, limit }));
  await inBatches(AT_ONCE, (limit) => deleteOldAudit(db, { before: auditEnd, ofVisitors: false, limit }));
}
