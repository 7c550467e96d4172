import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { hasOpenFinding } from "../../holdings/checking/findings.repo.ts";
import { checkStudyQueue } from "../../holdings/holding-queues.ts";
import type { StudyOwner } from "../../holdings/object-owners.ts";
import { listStoredObjects } from "../../holdings/objects/stored-objects.repo.ts";
import { byVisitor } from "../../mail/mail-budget.ts";
import { type NotifyDeps, notifyAdmins } from "../notifications/notify.ts";
import {
  findObjectOfStudy,
  findStudyOfObject,
  listArchivedObjects,
  listObjectsByStudy,
  markStudy,
  measureObjects,
  saveIntegrity,
  takeBackMissing,
} from "./integrity.repo.ts";
import {
  listFailedStudies,
  lockStudies,
  lockStudiesOfUpload,
  setStatusOfStaged,
  settleStatus,
} from "./study-storage.repo.ts";

/** Writes what holdings find out about studies to their rows; calls `archived` for each study whose bytes were moved. */
export function createStudyOwner(deps: NotifyDeps, { archived }: Pick<StudyOwner, "archived">): StudyOwner {
  return {
    async mark(tx, objectId, found, at) {
      const studyId = await findStudyOfObject(tx, objectId);
      if (studyId === undefined) return undefined;
      return { isNew: await markStudy(tx, studyId, found, at), studyId };
    },
    listExpected: listArchivedObjects,
    findObject: findObjectOfStudy,
    listObjects: listObjectsByStudy,
    measure: measureObjects,
    settleRead: (db, studyId, at) => db.transaction((tx) => settleRead(tx, studyId, at)),
    enqueueCheck: (tx, studyId) => enqueueCheck(deps, tx, studyId),
    takeBack: (db, studyId, presentCount) =>
      db.transaction((tx) => takeBackIfWhole(deps, tx, studyId, presentCount)),
    lockOfUpload: lockStudiesOfUpload,
    showStaged: setStatusOfStaged,
    settle: settleStatus,
    transferFailed: (db, studyIds) => db.transaction((tx) => tellOfFailure(deps, tx, studyIds)),
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
  await enqueueCheck({ jobs }, tx, studyId);
  return true;
}

async function enqueueCheck({ jobs }: Pick<Deps, "jobs">, tx: Tx, studyId: string): Promise<void> {
  await jobs.enqueue(checkStudyQueue, { studyId }, { tx, singletonKey: studyId });
}

/** Bytes that are staged were not all read by one node, so the study's check is left to the node that holds them. */
async function settleRead(tx: Tx, studyId: string, at: Date): Promise<void> {
  await lockStudies(tx, [studyId]);
  const objects = await listStoredObjects(tx, studyId);
  if (objects.some(({ location }) => location === "staging") || (await hasOpenFinding(tx, studyId))) return;
  await saveIntegrity(tx, studyId, "ok", at);
}

/** A store that is down fails many transfers; mails stop at this number. */
const MAILS_AN_HOUR = 5;

/** Tells the admins, once for each study. Those that were deleted meanwhile need nobody. */
async function tellOfFailure(deps: NotifyDeps, tx: Tx, studyIds: readonly string[]): Promise<void> {
  await lockStudies(tx, [...studyIds]);
  const cause = byVisitor([{ name: "transfer.failed", limit: MAILS_AN_HOUR }], deps.clock.now());
  for (const { id } of await listFailedStudies(tx, studyIds))
    await notifyAdmins(deps, tx, { event: "transfer.failed", subjectId: id, studyId: id, once: true, cause });
}
