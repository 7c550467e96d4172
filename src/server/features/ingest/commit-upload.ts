import { basename } from "node:path";
import type { UploadAnswer, UploadMetadata } from "../../../shared/api/upload.ts";
import type { Tx } from "../../db/client.ts";
import { together } from "../../db/together.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { discardObjects } from "../studies/discard-objects.ts";
import type { Caller } from "../studies/studies.repo.ts";
import type { SeriesRow, StoredObjectRow, StudyRow } from "../studies/studies.table.ts";
import { transferQueue } from "../studies/study-jobs.ts";
import { chargeExams } from "../subscriptions/charge-exams.ts";
import { lockSubscription } from "../subscriptions/subscriptions.repo.ts";
import { insertUsageEvent } from "../subscriptions/usage-events.repo.ts";
import { uploadInterrupted } from "./ingest.errors.ts";
import {
  deleteStoredObjects,
  endUpload,
  findStoredStudies,
  insertStoredObjects,
  insertStudies,
  lockStudiesOf,
  refreshStudies,
  type StoredStudy,
  updateStudyIndex,
  upsertSeries,
} from "./ingest.repo.ts";
import type { PlannedUpload, UploadPlace } from "./plan-build.ts";
import {
  indexOfInstances,
  indexOfRow,
  modalityOf,
  overridesOf,
  overridesOfRow,
  type StudyIndex,
  studyColumns,
} from "./study-index.ts";
import type {
  BuiltObject,
  BuiltStudy,
  BuiltUpload,
  ScannedStudy,
  ScanResult,
} from "./worker/worker-messages.ts";

export interface FinishedUpload {
  upload: UploadPlace;
  caller: Caller;
  origin: RequestOrigin;
  metadata: UploadMetadata;
  scan: ScanResult;
  plan: PlannedUpload;
  built: BuiltUpload;
  /** Whether the objects were put into the archive store and verified there before this commit. */
  isArchived: boolean;
}

/** Readers that looked a manifest up just before it was replaced may still ask for its bytes. */
const REPLACED_MANIFEST_SECONDS = 120;

/**
 * Makes an upload visible: rows, quota, usage, audit and the transfer job, in one transaction. `"stale"` where one
 * of its studies changed since the plan was made: plan and build again.
 * @throws {AppError} `quota.*`, `subscription.required`, `upload.interrupted` where the sweeper gave it up
 */
export async function commitUpload(
  deps: Pick<Deps, "db" | "jobs" | "clock" | "node">,
  finished: FinishedUpload,
): Promise<UploadAnswer["studies"] | "stale"> {
  const { upload, plan, scan } = finished;
  const uids = scan.studies.map((study) => study.studyInstanceUID);
  return await deps.db.transaction(async (tx) => {
    // First: a cancellation comes wholly before, and this is refused, or after, and takes what this brings.
    const [, isKnown] = await together(
      lockSubscription(tx, upload.accountId),
      lockStudiesOf(tx, upload.accountId, uids),
    );
    const stored = isKnown
      ? await findStoredStudies(tx, upload.accountId, uids)
      : new Map<string, StoredStudy>();
    if (!stoodStill(plan.stored, stored)) return "stale";
    const change = describeChange(deps, finished, stored);
    await writeChange(deps, tx, finished, change);
    return change.answers;
  });
}

/** Whether the same manifests are in force for the same studies. */
function stoodStill(before: Map<string, StoredStudy>, now: Map<string, StoredStudy>): boolean {
  const inForce = (studies: Map<string, StoredStudy>) =>
    [...studies.values()].flatMap(({ series }) => series.map(({ manifest }) => manifest.id)).sort();
  return inForce(before).join() === inForce(now).join();
}

interface Change {
  newStudies: StudyRow[];
  /** Studies that were there: what they hold is counted anew. */
  grownIds: string[];
  /** Index columns of studies that were there, where the form changes them. */
  reindexed: { studyId: string; columns: ReturnType<typeof studyColumns> }[];
  series: SeriesRow[];
  objects: StoredObjectRow[];
  replaced: StoredStudy["series"][number]["manifest"][];
  touched: { studyId: string; studyInstanceUID: string }[];
  answers: UploadAnswer["studies"];
}

function describeChange(
  deps: Pick<Deps, "clock" | "node">,
  finished: FinishedUpload,
  stored: Map<string, StoredStudy>,
): Change {
  const { upload, scan, built, isArchived } = finished;
  const now = deps.clock.now();
  const change: Change = {
    newStudies: [],
    grownIds: [],
    reindexed: [],
    series: [],
    objects: [],
    replaced: [],
    touched: [],
    answers: [],
  };
  const builtByUID = new Map(built.studies.map((study) => [study.studyInstanceUID, study]));
  const [firstUID] = scan.studies.map((study) => study.studyInstanceUID);
  const namedUID = finished.metadata.studyInstanceUID;
  const formUID = scan.studies.some((study) => study.studyInstanceUID === namedUID) ? namedUID : firstUID;
  for (const scanned of scan.studies) {
    const { studyInstanceUID } = scanned;
    const study = builtByUID.get(studyInstanceUID);
    if (!study) continue;
    const existing = stored.get(studyInstanceUID);
    const studyId = existing?.study.id ?? Bun.randomUUIDv7();
    const form = studyInstanceUID === formUID ? finished.metadata : {};
    const { accountId } = upload;
    indexStudy(change, { studyId, scanned, study, existing, form, accountId, isArchived, now });
    addObjects(change, {
      studyId,
      scanned,
      study,
      existing,
      uploadId: upload.id,
      now,
      isArchived,
      nodeId: deps.node.id,
    });
    change.touched.push({ studyId, studyInstanceUID });
    change.answers.push({
      id: studyId,
      studyInstanceUID,
      imagesReceived: study.newInstances,
      duplicates: study.duplicates,
    });
  }
  return change;
}

function indexStudy(
  change: Change,
  input: {
    studyId: string;
    scanned: ScannedStudy;
    study: BuiltStudy;
    existing: StoredStudy | undefined;
    form: UploadMetadata;
    accountId: string;
    isArchived: boolean;
    now: Date;
  },
): void {
  const { studyId, scanned, study, existing, form, accountId, isArchived, now } = input;
  if (existing) {
    change.grownIds.push(studyId);
    const index = indexOfRow(existing.study);
    const overrides = overridesOf(form, index);
    if (Object.keys(overrides).length === 0) return;
    const all = { ...overridesOfRow(existing.study), ...overrides };
    change.reindexed.push({ studyId, columns: studyColumns(index, all) });
    return;
  }
  const index: StudyIndex = indexOfInstances(scanned.index, scanned.modalities);
  const columns = studyColumns(index, overridesOf(form, index));
  change.newStudies.push({
    id: studyId,
    accountId,
    studyInstanceUID: scanned.studyInstanceUID,
    ...columns,
    ...(columns.instanceValues?.modality === undefined && { modality: modalityOf(scanned) }),
    ...countsOf(study),
    storageStatus: isArchived ? "b2" : "local",
    hasReport: false,
    createdAt: now,
    removalId: null,
  });
}

/** What {@link refreshStudies} counts of a study that has nothing but this. */
function countsOf({ volume, series }: BuiltStudy) {
  const objects = [...(volume ? [volume] : []), ...series.map(({ manifest }) => manifest)];
  return {
    seriesCount: series.length,
    instanceCount: series.reduce((sum, { instanceCount }) => sum + instanceCount, 0),
    sizeBytes: sumOf(objects),
  };
}

function addObjects(
  change: Change,
  input: {
    studyId: string;
    scanned: ScannedStudy;
    study: BuiltStudy;
    existing: StoredStudy | undefined;
    uploadId: string;
    nodeId: string;
    isArchived: boolean;
    now: Date;
  },
): void {
  const { studyId, scanned, study, existing, uploadId, nodeId, isArchived, now } = input;
  const addObject = (kind: "volume" | "manifest", object: BuiltObject): void => {
    change.objects.push({
      id: object.id,
      studyId,
      uploadId,
      kind,
      key: objectKey(uploadId, object),
      sizeBytes: object.sizeBytes,
      sha256: object.sha256,
      location: isArchived ? "archive" : "staging",
      stagedOn: nodeId,
      createdAt: now,
    });
  };
  if (study.volume) addObject("volume", study.volume);
  for (const built of study.series) {
    const { seriesInstanceUID } = built;
    const before = existing?.series.find(({ row }) => row.seriesInstanceUID === seriesInstanceUID);
    const index = scanned.series.find(
      (candidate) => candidate.seriesInstanceUID === seriesInstanceUID,
    )?.index;
    addObject("manifest", built.manifest);
    if (before) change.replaced.push(before.manifest);
    change.series.push({
      id: Bun.randomUUIDv7(),
      studyId,
      seriesInstanceUID,
      seriesNumber: index?.seriesNumber ?? null,
      description: index?.seriesDescription ?? null,
      modality: index?.modality ?? null,
      instanceCount: built.instanceCount,
      manifestId: built.manifest.id,
    });
  }
}

/** Where an object of an upload lies, in the staging area and in the archive store alike. */
export function objectKey(uploadId: string, object: Pick<BuiltObject, "path">): string {
  return `${uploadId}/${basename(object.path)}`;
}

async function writeChange(
  deps: Pick<Deps, "jobs" | "clock" | "node">,
  tx: Tx,
  { caller, upload, origin }: FinishedUpload,
  change: Change,
): Promise<void> {
  const now = deps.clock.now();
  const account = { userId: caller.userId, isAdmin: caller.role === "admin" };
  for (const { studyId, columns } of change.reindexed) await updateStudyIndex(tx, studyId, columns);
  // First: it adds to what is stored already.
  const bytes = sumOf(change.objects) - sumOf(change.replaced);
  await chargeExams(tx, account, { kind: "imaging", count: change.newStudies.length, bytes }, now);
  // Sent together: none waits for another's outcome, only each for its place in the transaction.
  const hasObjects = change.objects.length > 0;
  const [isEnded] = await together(
    endUpload(tx, upload.id, "committed", now),
    insertStudies(tx, change.newStudies),
    insertStoredObjects(tx, change.objects),
    upsertSeries(tx, change.series),
    recordUse(tx, { caller, upload, origin }, change, now),
    ...(hasObjects ? [deps.jobs.enqueue(transferQueue(deps.node.id), { uploadId: upload.id }, { tx })] : []),
  );
  if (!isEnded) throw new AppError(uploadInterrupted);
  await deleteStoredObjects(
    tx,
    change.replaced.map((manifest) => manifest.id),
  );
  await discardObjects(deps, tx, change.replaced, { afterSeconds: REPLACED_MANIFEST_SECONDS });
  await refreshStudies(tx, change.grownIds);
}

const sumOf = (objects: { sizeBytes: number }[]) =>
  objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

async function recordUse(
  tx: Tx,
  { caller: { userId }, upload, origin }: Pick<FinishedUpload, "caller" | "upload" | "origin">,
  { touched }: Change,
  now: Date,
): Promise<void> {
  const act = { at: now, actorId: userId, accountId: upload.accountId, ...origin };
  await together(
    ...touched.flatMap(({ studyId, studyInstanceUID }) => [
      insertUsageEvent(tx, { userId, actionType: "upload", studyInstanceUID, timestamp: now }),
      recordAudit(tx, { ...act, action: "study.uploaded", studyId, studyInstanceUID }),
    ]),
  );
}
