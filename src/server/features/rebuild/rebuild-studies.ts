import { open } from "node:fs/promises";
import { isUuid, timeOfUuid } from "../../../shared/uuid.ts";
import { piecesOf } from "../../archive/pieces.ts";
import type { Deps } from "../../deps.ts";
import { purgeQueue } from "../../holdings/holding-queues.ts";
import { findKeysToPurge } from "../../holdings/objects/keys-to-purge.repo.ts";
import { uploadOfKey } from "../../holdings/objects/upload-of-key.ts";
import { isCopied } from "../../holdings/transfer/transfer-upload.ts";
import { findUploads } from "../../holdings/uploads/uploads.repo.ts";
import { chunks } from "../../runtime/chunks.ts";
import { linkOrCopy, writeAll } from "../../storage/disk/durable-file.ts";
import { StoreUnavailable } from "../../storage/object-store.ts";
import { type ImportSender, sendUpload, UploadRefused } from "../import/send-upload.ts";
import { knownOverrides, type RestoredStudy } from "../ingest/label-study.ts";
import { type IngestDeps, instancesIn, type SpooledUpload } from "../ingest/take-upload.ts";
import type { UploadRoom } from "../ingest/upload-room.ts";
import { lockStudy } from "../studies/studies.repo.ts";
import { findStoredStudies } from "../studies/study-contents.repo.ts";
import { findAccountsOfKeys } from "../studies/study-storage.repo.ts";
import { restoreReport } from "./restore-report.ts";
import type { FoundVolume, LabelledStudy, Survey } from "./survey-store.ts";

const VOLUMES_AT_ONCE = 500;
const KEYS_PER_JOB = 500;

/** What became of one volume. */
export interface VolumeReport {
  volume: string;
  studyInstanceUID?: string;
  outcome: "rebuilt" | "already there" | "skipped" | "refused";
  reason?: string;
  instances?: number;
}

export interface RebuildOptions {
  survey: Survey;
  /** Former accounts. */
  owners: ReadonlySet<string>;
  /** Whether volumes without a label are taken too. */
  takesUnlabelled: boolean;
  /** The file of an object, if the store is a folder. */
  storedPath: ((key: string) => string) | undefined;
  onReport(report: VolumeReport): Promise<void>;
  /** Called before each volume. @throws when the rebuild must not go on */
  beforeVolume(): Promise<void>;
}

type RebuildDeps = IngestDeps & Pick<Deps, "jobs">;

/**
 * Makes rows and manifests again from the volumes of former accounts, one volume after the other; the volumes stay where they are.
 * Manifests that are replaced wholly are deleted at the end. May be killed at any moment and run again.
 * @throws {ImportStopped}
 */
export async function rebuildStudies(
  deps: RebuildDeps,
  sender: ImportSender,
  options: RebuildOptions,
): Promise<void> {
  const { survey, owners, takesUnlabelled } = options;
  const chosen = survey.volumes.filter(({ id }) => {
    const study = survey.studies.get(id);
    return study ? owners.has(study.label.accountId) : takesUnlabelled;
  });
  const held = new Set<string>();
  for (const volumes of chunks(chosen, VOLUMES_AT_ONCE)) {
    const judge = await openJudge(deps, sender.caller.userId, volumes);
    for (const volume of volumes) {
      const study = survey.studies.get(volume.id);
      const report = judge(volume) ?? (await rebuildVolume(deps, sender, volume, study, options));
      if (report.outcome === "rebuilt" || report.outcome === "already there") held.add(volume.id);
      const { studyInstanceUID } = study ?? {};
      await options.onReport({ ...(studyInstanceUID !== undefined && { studyInstanceUID }), ...report });
    }
  }
  const uids = new Set([...held].map((id) => survey.studies.get(id)?.studyInstanceUID));
  for (const study of survey.labelled) {
    // The former account's label names the report, also after a rebuild that was interrupted.
    const isOurs = owners.has(study.label.accountId) && uids.has(study.studyInstanceUID);
    if (isOurs) await restoreReportOf(deps, sender, study);
  }
  await discardManifests(deps, survey, held);
}

async function restoreReportOf(
  deps: RebuildDeps,
  { caller, signal }: ImportSender,
  { studyInstanceUID, label, report }: LabelledStudy,
): Promise<void> {
  if (!report) return;
  const accountId = caller.userId;
  const stored = await findStoredStudies(deps.db, accountId, [studyInstanceUID]);
  const id = stored.get(studyInstanceUID)?.study.id;
  if (id === undefined) return;
  await restoreReport(deps, { id, accountId, formerOwner: label.accountId }, report.label, signal);
}

/** Decides without reading it whether a volume is to be left alone. */
async function openJudge(
  { db }: RebuildDeps,
  accountId: string,
  volumes: FoundVolume[],
): Promise<(volume: FoundVolume) => VolumeReport | undefined> {
  const keys = volumes.map(({ key }) => key);
  const accounts = await findAccountsOfKeys(db, keys);
  const toPurge = await findKeysToPurge(db, keys);
  const uploads = await findUploads(db, [...new Set(volumes.map(({ uploadId }) => uploadId))]);
  const known = new Set(uploads.map(({ id }) => id));
  return ({ key, uploadId }) => {
    const holder = accounts.get(key);
    if (holder === accountId) return { volume: key, outcome: "already there" };
    if (holder !== undefined) return { volume: key, outcome: "refused", reason: "of_another_account" };
    // The database is not lost for this upload: it is under way, or its study was deleted, perhaps long after the upload was forgotten.
    if (known.has(uploadId) || toPurge.has(key))
      return { volume: key, outcome: "skipped", reason: "known_upload" };
    return undefined;
  };
}

async function rebuildVolume(
  deps: RebuildDeps,
  sender: ImportSender,
  volume: FoundVolume,
  study: LabelledStudy | undefined,
  { beforeVolume, storedPath }: RebuildOptions,
): Promise<VolumeReport> {
  const { id, key, uploadId } = volume;
  await beforeVolume();
  const { studyInstanceUID } = study ?? {};
  const stored = { id, key, uploadId, studyInstanceUID, study: await restoredOf(deps, volume, study) };
  const spool = async (path: string, room: UploadRoom): Promise<SpooledUpload> => {
    const from = storedPath?.(key);
    if (from === undefined) await download(deps, volume, path, room, sender.signal);
    else await linkOrCopy(from, path, sender.signal);
    return { metadata: {}, sizeBytes: volume.sizeBytes };
  };
  try {
    const result = await sendUpload(deps, sender, { lengthBytes: 0, spool, stored });
    if (!("studies" in result)) return { volume: key, outcome: "refused", reason: "no_instance" };
    const { scan, built, studies } = result;
    if (!built.studies[0]?.volume) return { volume: key, outcome: "skipped", reason: "nothing_new" };
    const instances = instancesIn(studies);
    const lost = scan.skippedCount + built.studies.flatMap(({ leftOut }) => leftOut).length;
    if (lost > 0) return { volume: key, outcome: "refused", reason: "damaged", instances };
    return { volume: key, outcome: "rebuilt", instances };
  } catch (error) {
    if (!(error instanceof UploadRefused)) throw error;
    return { volume: key, outcome: "refused", reason: error.reason };
  }
}

/** The study as it was; one without a label gets its time from its upload. */
async function restoredOf(
  { db }: RebuildDeps,
  { uploadId }: FoundVolume,
  study: LabelledStudy | undefined,
): Promise<RestoredStudy> {
  const { label } = study ?? {};
  const labelledAt = new Date(label?.createdAt ?? Number.NaN);
  const createdAt = Number.isNaN(labelledAt.getTime()) ? timeOfUuid(uploadId) : labelledAt;
  const isFree = label && isUuid(label.studyId) && !(await lockStudy(db, label.studyId));
  const studyId = isFree ? label.studyId : Bun.randomUUIDv7();
  return { studyId, createdAt, overrides: knownOverrides(label?.overrides ?? {}) };
}

/**
 * What the store gives becomes what the volume has to be from now on, so it has to give it twice.
 * @throws {StoreUnavailable} if it gives other bytes the second time
 */
async function download(
  { store }: RebuildDeps,
  { key }: FoundVolume,
  path: string,
  room: UploadRoom,
  signal: AbortSignal,
): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  const hasher = new Bun.CryptoHasher("sha256");
  let sizeBytes = 0;
  for await (const piece of piecesOf(await store.open(key))) {
    signal.throwIfAborted();
    hasher.update(piece);
    sizeBytes += piece.length;
    await room.take(piece.length);
    await writeAll(file, piece);
    room.wrote(piece.length);
  }
  const given = { key, sizeBytes, sha256: hasher.digest("hex") };
  if (!(await isCopied(store, given, signal))) throw new StoreUnavailable("it gives other bytes each time");
}

/** Deletes former manifests of which every volume is in the account now; those that rows name, or are about to name, stay. */
async function discardManifests(
  { db, jobs, store }: RebuildDeps,
  { manifests, volumes }: Survey,
  held: ReadonlySet<string>,
): Promise<void> {
  const touched = manifests.filter(({ volumeIds }) => volumeIds.some((id) => held.has(id)));
  const absent = new Set(touched.flatMap(({ volumeIds }) => volumeIds).filter((id) => !held.has(id)));
  for (const { id } of volumes) absent.delete(id);
  await dropListed(store, absent);
  const replaced = touched.filter(({ volumeIds }) => volumeIds.every((id) => held.has(id) || absent.has(id)));
  for (const some of chunks(replaced, KEYS_PER_JOB)) {
    const ofStore = some.map(({ key }) => key);
    // Before the names, so that what commits meanwhile is seen there.
    const uploads = await findUploads(db, [...new Set(ofStore.map(uploadOfKey))]);
    const underWay = new Set(uploads.flatMap(({ id, state }) => (state === "receiving" ? [id] : [])));
    const named = await findAccountsOfKeys(db, ofStore);
    const keys = ofStore.filter((key) => !named.has(key) && !underWay.has(uploadOfKey(key)));
    if (keys.length > 0) await jobs.enqueue(purgeQueue, { keys });
  }
}

/** Lists the store again and removes from `absent` what it lists now: an earlier listing may have left a volume out. */
async function dropListed(store: Pick<RebuildDeps["store"], "list">, absent: Set<string>): Promise<void> {
  if (absent.size === 0) return;
  for await (const { key } of store.list("")) {
    const id = /\/([0-9a-f-]+)\.zip$/.exec(key)?.[1];
    if (id !== undefined) absent.delete(id);
  }
}
