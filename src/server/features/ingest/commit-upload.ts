import type { UploadAnswer } from "../../../shared/api/upload.ts";
import type { Tx } from "../../db/client.ts";
import { asOneStatement, type OneStatement } from "../../db/one-statement.ts";
import { runConcurrently } from "../../db/run-concurrently.ts";
import type { Deps } from "../../deps.ts";
import { insertObjectSums } from "../../holdings/checking/object-sums.repo.ts";
import { checkStudyQueue, transferQueue } from "../../holdings/holding-queues.ts";
import { discardObjects } from "../../holdings/objects/discard-objects.ts";
import { deleteStoredObjects, insertStoredObjects } from "../../holdings/objects/stored-objects.repo.ts";
import { uploadProcessLost } from "../../holdings/uploads/uploads.errors.ts";
import { endUpload } from "../../holdings/uploads/uploads.repo.ts";
import { AppError } from "../../http/app-error.ts";
import { recordAuditOfStudies } from "../audit/audit.repo.ts";
import { saveIntegrity } from "../studies/integrity.repo.ts";
import {
  findStoredStudies,
  insertStudies,
  lockStudiesOf,
  refreshStudies,
  type StoredStudy,
  updateStudyIndex,
  upsertSeries,
} from "../studies/study-contents.repo.ts";
import { chargeExams } from "../subscriptions/charge-exams.ts";
import { addExams, lockSubscription } from "../subscriptions/subscriptions.repo.ts";
import { insertUsageOfStudies } from "../subscriptions/usage-events.repo.ts";
import { type Change, describeChange, sumOf } from "./describe-change.ts";
import type { FinishedUpload } from "./finished-upload.ts";

/** Readers that looked a manifest up just before it was replaced may still ask for its bytes. */
export const REPLACED_MANIFEST_SECONDS = 120;

/**
 * Makes an upload visible: rows, quota, usage, audit and the transfer job, in one transaction. Returns `"stale"` when one of its
 * studies changed after the plan was made: the caller plans and builds again.
 * @throws {AppError} `quota.*`, `subscription.required`, `upload.process_lost` when another node took this one for dead and swept the upload
 */
export async function commitUpload(
  deps: Pick<Deps, "db" | "jobs" | "clock" | "node">,
  finished: FinishedUpload,
): Promise<UploadAnswer["studies"] | "stale"> {
  const { upload, plan, scan } = finished;
  const uids = scan.studies.map((study) => study.studyInstanceUID);
  return await deps.db.transaction(async (tx) => {
    // The lock comes first, so that a cancellation runs either wholly before (this upload is refused) or wholly after (it removes
    // this upload too).
    const [, isKnown] = await runConcurrently(
      lockSubscription(tx, upload.accountId),
      lockStudiesOf(tx, upload.accountId, uids),
    );
    const stored = isKnown
      ? await findStoredStudies(tx, upload.accountId, uids)
      : new Map<string, StoredStudy>();
    if (!hasSameManifests(plan.stored, stored)) return "stale";
    const change = describeChange(deps, finished, stored);
    await writeChange(deps, tx, finished, change);
    const newStudyIds = change.newStudies.map(({ id }) => id);
    await finished.settle?.(tx, { studies: change.answers, newStudyIds, scan, built: finished.built });
    return change.answers;
  });
}

/** Whether the same manifests are in force for the same studies. */
function hasSameManifests(before: Map<string, StoredStudy>, now: Map<string, StoredStudy>): boolean {
  const inForce = (studies: Map<string, StoredStudy>) =>
    [...studies.values()].flatMap(({ series }) => series.map(({ manifest }) => manifest.id)).sort();
  return inForce(before).join() === inForce(now).join();
}

async function writeChange(
  deps: Pick<Deps, "jobs" | "clock" | "node">,
  tx: Tx,
  finished: FinishedUpload,
  change: Change,
): Promise<void> {
  const { caller, upload, stored } = finished;
  const now = deps.clock.now();
  const account = { userId: caller.userId, isAdmin: caller.role === "admin" };
  for (const { studyId, columns } of change.reindexed) await updateStudyIndex(tx, studyId, columns);
  // The quota is charged first, since the charge adds to what is stored already.
  const bytes = growthOf(change);
  const count = change.newStudies.length;
  // What a lost database had counted is counted again, whatever the plan holds now.
  if (stored) await addExams(tx, account.userId, { imaging: count, lab: 0 });
  else await chargeExams(tx, account, { kind: "imaging", count, bytes }, now);
  // These statements are sent at once: none needs the result of another.
  const hasObjects = change.objects.length > 0;
  const [[isEnded]] = await runConcurrently(
    asOneStatement(tx, (one) =>
      runConcurrently(
        endUpload(one, upload.id, "committed", now),
        insertStudies(one, change.newStudies),
        insertStoredObjects(one, change.objects),
        insertObjectSums(one, change.volumes),
        upsertSeries(one, change.series),
        recordUse(one, finished, change, now),
      ),
    ),
    ...(hasObjects ? [deps.jobs.enqueue(transferQueue(deps.node.id), { uploadId: upload.id }, { tx })] : []),
  );
  if (!isEnded)
    throw new AppError(uploadProcessLost, { retryAfterSeconds: 10, detail: "it was swept meanwhile" });
  await deleteStoredObjects(
    tx,
    change.replaced.map((manifest) => manifest.id),
    { healedBy: "upload", at: now },
  );
  await discardObjects(deps, tx, change.replaced, { afterSeconds: REPLACED_MANIFEST_SECONDS });
  await refreshStudies(tx, change.grownIds);
  for (const studyId of change.repairedIds) {
    await saveIntegrity(tx, studyId, "unchecked", null);
    await deps.jobs.enqueue(checkStudyQueue, { studyId }, { tx, singletonKey: studyId });
  }
}

/**
 * What healed a study takes the room of what it replaces, and adds nothing where the damaged bytes stay beside sound ones: each of them is
 * healed once. Its manifests may be some bytes longer, which a full plan has none for.
 */
function growthOf({ objects, replaced, healedBytes }: Change): number {
  const isVolume = ({ kind }: { kind: string }) => kind === "volume";
  const isHealing = healedBytes > 0 || replaced.some(isVolume);
  const addedBytes = sumOf(objects.filter(isVolume)) - healedBytes;
  if (isHealing && addedBytes <= sumOf(replaced.filter(isVolume))) return 0;
  return sumOf(objects) - sumOf(replaced) - healedBytes;
}

async function recordUse(
  tx: OneStatement,
  { caller: { userId }, upload, origin, stored, receivedFrom }: FinishedUpload,
  { touched }: Change,
  now: Date,
): Promise<void> {
  const details = receivedFrom !== undefined && { details: { ...origin.details, from: receivedFrom } };
  const act = { at: now, actorId: userId, accountId: upload.accountId, ...origin, ...details };
  const studyInstanceUIDs = touched.map((study) => study.studyInstanceUID);
  const studyIds = touched.map(({ studyId }) => studyId);
  await runConcurrently(
    ...(stored
      ? []
      : [insertUsageOfStudies(tx, { userId, actionType: "upload", studyInstanceUIDs, timestamp: now })]),
    recordAuditOfStudies(tx, { ...act, action: "study.uploaded", studyIds, studyInstanceUIDs }),
  );
}
