import type { Deps } from "../../deps.ts";
import { damageNoticeQueue } from "../holding-jobs.ts";
import { ownerOf } from "../object-owners.ts";
import type { KeptObject } from "../objects/kept-object.ts";
import type { Damage } from "./integrity.ts";

/**
 * Notes on the exam of an object what reading it found, and has the admin told: once, however often it is
 * read. `false` where the object was deleted meanwhile, so that nothing is wrong.
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
