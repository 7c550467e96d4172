import type { Deps } from "../../deps.ts";
import { damageNoticeQueue } from "../holding-jobs.ts";
import { ownerOf } from "../object-owners.ts";
import type { KeptObject } from "../objects/kept-object.ts";
import type { Damage } from "./integrity.ts";

/**
 * Records damage of an object on its exam and has the admin notified once, however often the object is read. Returns `false` if the
 * object was deleted meanwhile, so that nothing is wrong.
 */
export async function noteDamage(
  deps: Pick<Deps, "db" | "jobs" | "clock" | "log" | "owners">,
  object: Pick<KeptObject, "id" | "kind">,
  found: Damage,
): Promise<boolean> {
  const { db, jobs, clock, log, owners } = deps;
  return await db.transaction(async (tx) => {
    const marked = await ownerOf(owners, object).mark(tx, object.id, found, clock.now());
    if (marked?.isNew) {
      await jobs.enqueue(damageNoticeQueue, { studyId: marked.studyId, found }, { tx });
      log.error("archive.damaged", { found, kind: object.kind, object: object.id });
    }
    return marked !== undefined;
  });
}
