import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { UploadAnswer, UploadMetadata } from "../../../shared/api/upload.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { noteVanished } from "../../holdings/checking/note-vanished.ts";
import type { ObjectDeps } from "../../holdings/reading/open-object.ts";
import { keepOnly } from "../../holdings/sweeping/sweep-uploads.ts";
import { copyAllToArchive } from "../../holdings/transfer/transfer-upload.ts";
import { abandonUpload } from "../../holdings/uploads/abandon-upload.ts";
import { recordUpload } from "../../holdings/uploads/record-upload.ts";
import { AppError } from "../../http/app-error.ts";
import type { Recheck } from "../../http/while-allowed.ts";
import { describeError } from "../../runtime/log.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import { deleteObjects } from "../../storage/delete-objects.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { commitUpload } from "./commit-upload.ts";
import { objectKey } from "./describe-change.ts";
import type { SettledUpload, TakenUpload, UploadOrigin } from "./finished-upload.ts";
import { tooManyUploads, uploadWithoutDicom } from "./ingest.errors.ts";
import { type PlannedUpload, planBuild, type StoredVolume, type UploadPlace } from "./plan-build.ts";
import { ReceivedBytes } from "./received-bytes.ts";
import { salvageForPlan } from "./salvage-volumes.ts";
import { takeStudyTurns } from "./study-turns.ts";
import { uploadFailure } from "./upload-failure.ts";
import { UploadRoom } from "./upload-room.ts";
import type { UploadSlot } from "./upload-slots.ts";
import { DEFAULT_INGEST_LIMITS, TRIAL_INGEST_LIMITS } from "./worker/ingest-limits.ts";
import type { Guess, IngestSession } from "./worker/ingest-session.ts";
import { removeInflated } from "./worker/remove-inflated.ts";
import { IngestRefused } from "./worker/worker.errors.ts";
import type { BuiltUpload, GuessedVolume, IngestLimits, ScanResult } from "./worker/worker-messages.ts";

export type IngestDeps = ObjectDeps &
  Pick<Deps, "config" | "disk" | "elapsedMs" | "ingestWorkers" | "storageClaims" | "bursts">;

/** Larger uploads take long to arrive; transfers do not wait for them. */
const MAX_BURST_BYTES = 16 * 1024 * 1024;

/** How often an upload may be planned, since another node may change the same study meanwhile. */
const MAX_PLANS = 10;

/**
 * How long an upload keeps its worker, at the least, while it waits for others that add to its studies. One that takes longer to read
 * keeps it for as long as reading it again would take.
 */
const MIN_PATIENCE_MS = 400;

/** Who sends an upload, and from where. */
export interface Sender {
  caller: Caller;
  origin: UploadOrigin;
  slot: UploadSlot;
  /** Their name, if they have no account and deliver to one. */
  receivedFrom?: string | undefined;
}

/** Where an upload's ZIP comes from. */
export interface UploadSource {
  /** Bytes to come; 0 when their number is unknown. */
  lengthBytes: number;
  /** Writes the ZIP into the new file `path`, after taking room for its bytes. It may keep the bytes of a small one. */
  spool(path: string, room: UploadRoom, received: ReceivedBytes): Promise<SpooledUpload>;
  /** Aborts when the sender is gone. */
  signal: AbortSignal;
  /** Asks whether the sender may still store: once all has come, and before it is kept. @throws {AppError} */
  recheck?: Recheck;
  /** Bounds that differ from those of every upload. */
  limits?: Partial<IngestLimits>;
  /** The volume of a lost database that the ZIP is: it stays where it is. */
  stored?: StoredVolume;
  /** Runs in the transaction that makes the upload visible; a failure takes all of it back. */
  settle?: (tx: Tx, taken: SettledUpload) => Promise<void>;
}

export interface SpooledUpload {
  metadata: UploadMetadata;
  sizeBytes: number;
  /** The volume that the ZIP may become, if it was hashed as it came. */
  guessed?: GuessedVolume | undefined;
  /** Where to save what building in place overwrites, for a ZIP that shares its bytes with another file. */
  undoPath?: string;
}

/**
 * Takes in one upload: spools it, reads it, writes volumes and manifests, and commits. A failure before the commit leaves nothing
 * behind, and nothing was visible.
 * @throws {AppError} as `recheck` does; `upload.*`, `quota.*`, `subscription.required`, `storage.full`
 */
export async function takeUpload(
  deps: IngestDeps,
  sender: Sender,
  source: UploadSource,
): Promise<TakenUpload> {
  const { node } = deps;
  const { caller, slot } = sender;
  const isShort = source.lengthBytes > 0 && source.lengthBytes <= MAX_BURST_BYTES;
  using _ = isShort ? deps.bursts.enter() : undefined;
  using room = await UploadRoom.open(deps, caller, source.lengthBytes, slot);
  const id = Bun.randomUUIDv7();
  const upload: UploadPlace = {
    id,
    accountId: caller.userId,
    folder: node.stagedPath(id),
    mayBeStored: source.stored !== undefined,
  };
  await recordUpload(deps, upload);
  try {
    await mkdir(upload.folder, { recursive: true });
    return await processUpload(deps, { ...sender, source, upload, room });
  } catch (error) {
    await abandonUpload(deps, id, upload);
    if (isOverQuota(error)) throw await room.exceeded();
    if (error instanceof IngestRefused && error.failure === "worker.lost")
      deps.log.warn("ingest.worker_lost", { detail: error.detail });
    throw uploadFailure(error);
  }
}

interface Incoming extends Sender {
  source: UploadSource;
  upload: UploadPlace;
  room: UploadRoom;
}

async function processUpload(deps: IngestDeps, incoming: Incoming): Promise<TakenUpload> {
  const { caller, source, upload, origin, slot, room, receivedFrom } = incoming;
  const spoolPath = join(upload.folder, "spool.zip");
  using received = new ReceivedBytes();
  const { metadata, sizeBytes, undoPath, guessed } = await source.spool(spoolPath, room, received);
  await source.recheck?.();
  slot.received();
  const limits = { ...(slot.isTrial ? TRIAL_INGEST_LIMITS : DEFAULT_INGEST_LIMITS), ...source.limits };
  const open = () =>
    deps.ingestWorkers.open(
      upload.folder,
      spoolPath,
      { ...limits, maxRestBytes: room.limitBytes },
      AbortSignal.any([source.signal, slot.signal]),
      {
        whose: { account: slot.accountId, kind: slot.kind },
        sizeBytes,
        ...(received.isWhole(sizeBytes) && { restore: () => received.writeTo(spoolPath) }),
      },
    );
  let session = await open();
  slot.started();
  try {
    const begunAt = performance.now();
    let scan = await room.during(session.inflatedBytes, () => session.scan(guessed));
    const { skipped, skippedCount, named } = scan;
    if (scan.studies.length === 0) {
      throw new AppError(uploadWithoutDicom, { members: { skipped, skippedCount, ...(named && { named }) } });
    }
    const turns = takeStudyTurns(deps, upload, scan, source.signal);
    const patienceMs = Math.max(MIN_PATIENCE_MS, performance.now() - begunAt);
    // Others of this sender may build for long, and other senders need the worker meanwhile.
    const givenBack = (await withTimeout(turns, patienceMs)) ? undefined : session.dispose();
    using _ = await turns;
    if (givenBack) {
      await givenBack;
      await removeInflated(upload.folder);
      session = await open();
      scan = await room.during(session.inflatedBytes, () => session.scan(scan.guessed));
    }
    const { studies, built } = await buildAndCommit(
      deps,
      session,
      {
        upload,
        caller,
        origin,
        metadata,
        scan,
        room,
        undoPath,
        receivedFrom,
        stored: source.stored,
      },
      source,
    );
    deps.log.info("upload.committed", {
      sizeBytes,
      studies: studies.length,
      instances: instancesIn(studies),
      skippedCount,
    });
    return { studies, scan, built };
  } finally {
    await session.dispose();
  }
}

export function instancesIn(studies: UploadAnswer["studies"]): number {
  return studies.reduce((sum, { imagesReceived }) => sum + imagesReceived, 0);
}

/** Removes the spool and the files of inflated entries, which a committed upload no longer needs. */
async function removeLeftovers(deps: IngestDeps, folder: string, built: BuiltUpload): Promise<void> {
  try {
    await keepOnly(folder, new Set(objectsOf(built).map(({ path }) => basename(path))));
  } catch (error) {
    deps.log.warn("upload.leftovers", describeError(error));
  }
}

interface Scanned {
  upload: UploadPlace;
  caller: Caller;
  origin: UploadOrigin;
  metadata: UploadMetadata;
  scan: ScanResult & Guess;
  room: UploadRoom;
  stored: StoredVolume | undefined;
  undoPath: string | undefined;
  receivedFrom: string | undefined;
}

async function buildAndCommit(
  deps: IngestDeps,
  session: IngestSession,
  scanned: Scanned,
  { signal, recheck, settle }: Pick<UploadSource, "signal" | "recheck" | "settle">,
): Promise<{ studies: UploadAnswer["studies"]; built: BuiltUpload }> {
  const isArchived = deps.config.ack === "store";
  const { room, undoPath } = scanned;
  // A volume of somebody without an account says what they brought, so nothing that was there goes into it.
  const isOfOwner = scanned.receivedFrom === undefined;
  let built: BuiltUpload | undefined;
  for (let plans = 0; plans < MAX_PLANS; plans++) {
    const plan = await planBuild(deps, scanned);
    if (plan === "stale") continue;
    if (built && isArchived) await removeFromArchive(deps, scanned.upload.id, built);
    // The replacement of a lost volume takes the room of that volume, and only the commit knows how much that is.
    const isHealing = plan.build.studies.some(({ lostVolumes = [] }) => lostVolumes.length > 0);
    const { restBytes } = scanned.scan;
    const salvagedBytes = isOfOwner
      ? await salvageForPlan(deps, scanned.upload.folder, plan, { scan: scanned.scan, signal })
      : 0;
    const maxRestBytes = isHealing ? restBytes : await room.claimAtRest(restBytes);
    built = await room.during(maxRestBytes + salvagedBytes, () =>
      session.build({ ...plan.build, maxRestBytes, ...(undoPath && { undoPath }) }),
    );
    if (await findsVolumesLost(deps, plan, { built, scan: scanned.scan })) {
      room.endClaim();
      continue;
    }
    if (isArchived) await archive(deps, scanned.upload, built, signal);
    await recheck?.();
    signal.throwIfAborted();
    room.endClaim();
    const committed = await commitUpload(deps, { ...scanned, plan, built, isArchived, settle });
    if (committed === "stale") continue;
    await Promise.all([removeLeftovers(deps, scanned.upload.folder, built), session.dispose()]);
    return { studies: committed, built };
  }
  throw new AppError(tooManyUploads, { retryAfterSeconds: 5, detail: "its studies kept changing" });
}

/**
 * Whether a volume that holds what an upload brings again is gone or cut, though nobody noticed: the next plan has the upload
 * replace it. A manifest that the plan read, and the store has no more, is put back from the copy on this node. A plan for a damaged
 * study has read its volumes already.
 */
async function findsVolumesLost(
  deps: IngestDeps,
  { build, stored }: PlannedUpload,
  { built, scan }: { built: BuiltUpload; scan: ScanResult },
): Promise<boolean> {
  const isRead = new Set(
    build.studies.filter(({ volumes }) => volumes).map((study) => study.studyInstanceUID),
  );
  const sentUIDs = new Set(scan.studies.flatMap(({ series }) => series.map((one) => one.seriesInstanceUID)));
  const sought = built.studies.flatMap(({ studyInstanceUID, duplicateVolumes, series }) => {
    const existing = isRead.has(studyInstanceUID) ? undefined : stored.get(studyInstanceUID);
    if (!existing || duplicateVolumes.length === 0) return [];
    const replaced = new Set(series.map((one) => one.seriesInstanceUID));
    // Without a cache, the plan read them from the store.
    const manifests = (deps.cache ? existing.series : [])
      .filter(({ row: { seriesInstanceUID: uid } }) => sentUIDs.has(uid) && !replaced.has(uid))
      .map(({ manifest }) => manifest);
    return [{ studyId: existing.study.id, volumeIds: new Set(duplicateVolumes), manifests }];
  });
  const vanished = await noteVanished(deps, sought);
  return vanished.some(({ kind }) => kind === "volume");
}

/** Copies the objects to the store and verifies them before anything is visible or answered (ACK=store). */
async function archive(
  deps: IngestDeps,
  upload: UploadPlace,
  built: BuiltUpload,
  signal: AbortSignal,
): Promise<void> {
  upload.mayBeStored = true;
  const objects = objectsOf(built).map((object) => ({ ...object, key: objectKey(upload.id, object) }));
  await copyAllToArchive(deps, objects, signal);
}

async function removeFromArchive(deps: IngestDeps, uploadId: string, built: BuiltUpload): Promise<void> {
  await deleteObjects(
    deps.store,
    objectsOf(built).map((object) => objectKey(uploadId, object)),
  );
}

/** The objects that the build wrote. */
function objectsOf({ studies }: BuiltUpload) {
  return studies.flatMap(({ volume, series }) => [
    ...(volume && !volume.storedAs ? [volume] : []),
    ...series.map(({ manifest }) => manifest),
  ]);
}

/** Whether a worker found that the stored upload would exceed the plan. */
function isOverQuota(error: unknown): boolean {
  return error instanceof IngestRefused && error.failure === "upload.over_quota";
}
