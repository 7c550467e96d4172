import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { StudyOwner } from "../../holdings/object-owners.ts";
import { listStoredObjects } from "../../holdings/objects/stored-objects.repo.ts";
import { findStudyOfObject, listArchivedObjects, markStudy, takeBackMissing } from "./integrity.repo.ts";
import { checkStudyQueue } from "./study-jobs.ts";
import { lockStudies, lockStudiesOfUpload, setStatusOfStaged, settleStatus } from "./study-storage.repo.ts";

/** Writes what holdings find out about studies to their rows; calls `archived` for each study whose bytes were moved. */
export function createStudyOwner(
  deps: Pick<Deps, "jobs">,
  { archived }: Pick<StudyOwner, "archived">,
): StudyOwner {
  return {
    async mark(tx, objectId, found, at) {
      const studyId = await findStudyOfObject(tx, objectId);
      if (studyId === undefined) return undefined;
      return { isNew: await markStudy(tx, studyId, found, at), studyId };
    },
    listExpected: listArchivedObjects,
    takeBack: (db, studyId, presentCount) =>
      db.transaction((tx) => takeBackIfWhole(deps, tx, studyId, presentCount)),
    lockOfUpload: lockStudiesOfUpload,
    showStaged: setStatusOfStaged,
    settle: settleStatus,
    archived,
  };
}

/** Takes the mark back if all of a study's objects are present and none is staged; a check then reads their bytes. */
async function takeBackIfWhole(
  { jobs }: Pick<Deps, "jobs">,
  tx: Tx,
  studyId: string,
  presentCount: number,
): Promise<boolean> {
  await lockStudies(tx, [studyId]);
  const objects = await listStoredObjects(tx, studyId);
  if (objects.length !== presentCount || objects.some(({ location }) => location !== "archive")) return false;
  if (!(await takeBackMissing(tx, studyId))) return false;
  await jobs.enqueue(checkStudyQueue, { studyId }, { tx, singletonKey: studyId });
  return true;
}
