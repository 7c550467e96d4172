import type { Deps } from "../../deps.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { deleteOldSessions, deleteOldThrottles } from "./auth.repo.ts";
import { sessionLifetimeSeconds } from "./find-session.ts";

const cleaning = defineQueue<Record<never, never>>("auth.clean", { retryLimit: 1 });

/** Forgets, once an hour, sessions and throttle windows that are long over. */
export async function startAuthJobs({ db, jobs, clock }: Deps): Promise<void> {
  await jobs.work(cleaning, async () => {
    const now = clock.now();
    await deleteOldSessions(db, new Date(now.getTime() - sessionLifetimeSeconds * 1000));
    await deleteOldThrottles(db, now);
  });
  await jobs.schedule(cleaning, "41 * * * *", {});
}
