import type { Deps } from "../../deps.ts";
import { createSharedReading } from "../../http/shared-reading.ts";
import { findPlanBySlug } from "./subscriptions.repo.ts";

/** How many exams a trial allows, for a page that anyone may request; undefined while the database does not answer. */
export function createTrialReading({ db }: Pick<Deps, "db">): () => Promise<number | undefined> {
  return createSharedReading(async () => (await findPlanBySlug(db, "avaliacao"))?.examLimit, {
    timeoutMs: 1_000,
  });
}
