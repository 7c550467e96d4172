import type { Deps } from "../../deps.ts";
import { markLabExam } from "../../features/labs/labs.repo.ts";
import { type Damage, findStudyOfObject, markStudy } from "../../features/studies/integrity.repo.ts";
import type { StoredObjectRow } from "../../features/studies/studies.table.ts";
import { damageNoticeQueue } from "../holding-jobs.ts";

/** Bytes at rest, and what they were when they came. `lab`: a laboratory PDF, whose row is its own. */
export type KeptObject = Pick<
  StoredObjectRow,
  "id" | "key" | "sizeBytes" | "sha256" | "location" | "stagedOn"
> & {
  kind: StoredObjectRow["kind"] | "lab";
};

/**
 * Notes on the study or lab exam of an object what reading it found, and has the admin told: once, however often it is
 * read. `false` where the object was deleted meanwhile, so that nothing is wrong.
 */
export async function noteDamage(
  deps: Pick<Deps, "db" | "jobs" | "clock" | "log">,
  object: Pick<KeptObject, "id" | "kind">,
  found: Damage,
): Promise<boolean> {
  const { db, jobs, clock, log } = deps;
  return await db.transaction(async (tx) => {
    const isLab = object.kind === "lab";
    const studyId = isLab ? undefined : await findStudyOfObject(tx, object.id);
    if (!isLab && studyId === undefined) return false;
    const isNew = studyId
      ? await markStudy(tx, studyId, found, clock.now())
      : await markLabExam(tx, object.id, found);
    if (isNew) {
      await jobs.enqueue(damageNoticeQueue, { studyId: studyId ?? null, found }, { tx });
      log.error("archive.damaged", { found, kind: object.kind, object: object.id });
    }
    return isNew !== undefined;
  });
}
