import { basename } from "node:path";
import type { UploadAnswer, UploadMetadata } from "../../../shared/api/upload.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { discardObjects } from "../studies/discard-objects.ts";
import type { Caller } from "../studies/studies.repo.ts";
import type { series, storedObjects, studies } from "../studies/studies.table.ts";
import { transferQueue } from "../studies/study-jobs.ts";
import { chargeExams } from "../subscriptions/charge-exams.ts";
import { insertUsageEvents, lockSubscription } from "../subscriptions/subscriptions.repo.ts";
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
    await lockSubscription(tx, upload.accountId);
    await lockStudiesOf(tx, upload.accountId, uids);
    const stored = await findStoredStudies(tx, upload.accountId, uids);
    if (!stoodStill(plan.stored, stored)) return "stale";
    const change = describeChange(deps, finished, stored);
    await writeChange(deps, tx, finished, change);
    if (!(await endUpload(tx, upload.id, "committed", deps.clock.now())))
      throw new AppError(uploadInterrupted);
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
  newStudies: (typeof studies.$inferInsert)[];
  /** Index columns of studies that were there, where the form changes them. */
  reindexed: { studyId: string; columns: ReturnType<typeof studyColumns> }[];
  series: (typeof series.$inferInsert)[];
  objects: (typeof storedObjects.$inferInsert)[];
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
    indexStudy(change, { studyId, scanned, existing, form, accountId: upload.accountId, now });
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
    existing: StoredStudy | undefined;
    form: UploadMetadata;
    accountId: string;
    now: Date;
  },
): void {
  const { studyId, scanned, existing, form, accountId, now } = input;
  if (existing) {
    const index = indexOfRow(existing.study);
    const overrides = overridesOf(form, index);
    if (Object.keys(overrides).length === 0) return;
    const all = { ...overridesOfRow(existing.study), ...overrides };
    change.reindexed.push({ studyId, columns: studyColumns(index, all) });
    return;
  }
  const index: StudyIndex = indexOfInstances(scanned.index, scanned.modalities);
  change.newStudies.push({
    id: studyId,
    accountId,
    studyInstanceUID: scanned.studyInstanceUID,
    ...studyColumns(index, overridesOf(form, index)),
    seriesCount: 0,
    instanceCount: 0,
    sizeBytes: 0,
    storageStatus: "local",
    createdAt: now,
  });
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
  await chargeExams(tx, account, { kind: "imaging", count: change.newStudies.length }, now);
  await insertStudies(tx, change.newStudies);
  for (const { studyId, columns } of change.reindexed) await updateStudyIndex(tx, studyId, columns);
  await insertStoredObjects(tx, change.objects);
  await upsertSeries(tx, change.series);
  await deleteStoredObjects(
    tx,
    change.replaced.map((manifest) => manifest.id),
  );
  await discardObjects(deps, tx, change.replaced, { afterSeconds: REPLACED_MANIFEST_SECONDS });
  await refreshStudies(
    tx,
    change.touched.map(({ studyId }) => studyId),
  );
  const { userId } = caller;
  await insertUsageEvents(
    tx,
    change.touched.map(({ studyInstanceUID }) => ({
      userId,
      actionType: "upload",
      studyInstanceUID,
      timestamp: now,
    })),
  );
  for (const { studyId, studyInstanceUID } of change.touched) {
    await recordAudit(tx, {
      at: now,
      action: "study.uploaded",
      actorId: userId,
      accountId: upload.accountId,
      studyId,
      studyInstanceUID,
      ...origin,
    });
  }
  if (change.objects.length > 0) {
    await deps.jobs.enqueue(transferQueue(deps.node.id), { uploadId: upload.id }, { tx });
  }
}
