import { join } from "node:path";
import type { UploadMetadata } from "../../../shared/api/upload.ts";
import type { StudyLabel } from "../../archive/study-label.ts";
import { findLostVolumes, isDamage, undefinedIfLost } from "../../holdings/checking/find-lost.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import { type ObjectDeps, openObject, readObject } from "../../holdings/reading/open-object.ts";
import { forEachAtOnce } from "../../runtime/for-each-at-once.ts";
import { ObjectNotFound } from "../../storage/object-store.ts";
import { findUser } from "../accounts/users/users.repo.ts";
import { findStoredStudies, type StoredStudy } from "../studies/study-contents.repo.ts";
import { formsOf, labelOf, overridesAfter, type RestoredStudy } from "./label-study.ts";
import type { Guess } from "./worker/ingest-session.ts";
import { IngestRefused } from "./worker/worker.errors.ts";
import type {
  BuildPlan,
  GuessedVolume,
  ManifestBytes,
  PlannedObject,
  PlannedSeries,
  PlannedStudy,
  ScannedStudy,
  ScanResult,
  StoredAs,
} from "./worker/worker-messages.ts";

/** Up to this much of a study's manifests is held and sent to the worker; the rest is passed in files. */
const MAX_HELD_MANIFEST_BYTES = 4 * 1024 * 1024;
/** Each mostly waits for the store. */
const MANIFESTS_AT_ONCE = 8;

/** The objects to write for an upload, and the state of its studies when the plan was made. */
export interface PlannedUpload {
  build: BuildPlan;
  /** Studies that exist already, by UID. */
  stored: Map<string, StoredStudy>;
}

export interface UploadPlace {
  id: string;
  accountId: string;
  /** The upload's folder in the staging area; objects' keys are `{id}/{name}`. */
  folder: string;
  /** Set before its first byte goes to the archive store. */
  mayBeStored: boolean;
}

/** What an upload is to become, beside what it holds. */
export interface PlanInput {
  upload: UploadPlace;
  metadata: UploadMetadata;
  scan: ScanResult & Guess;
  /** For a volume of a lost database. */
  stored?: StoredVolume | undefined;
}

/** A volume that is in the archive store and not in the database. */
export interface StoredVolume extends StoredAs {
  /** The id that its instances name. */
  id: string;
  /** The study that its labels name, if it has one. */
  studyInstanceUID: string | undefined;
  /** What its labels say; a study without a label is as its instances say. */
  study: RestoredStudy | undefined;
}

/**
 * Decides which objects an upload becomes, and reads the manifests in force of the studies it adds to. Returns `"stale"` when one
 * of these was deleted meanwhile: the caller looks again.
 */
export async function planBuild(deps: ObjectDeps, input: PlanInput): Promise<PlannedUpload | "stale"> {
  const { upload, scan } = input;
  const uids = scan.studies.map((study) => study.studyInstanceUID);
  const [owner, stored] = await Promise.all([
    findUser(deps.db, upload.accountId),
    findStoredStudies(deps.db, upload.accountId, uids),
  ]);
  const account = { accountId: upload.accountId, email: owner?.email ?? "" };
  const formFor = formsOf(scan, input.metadata);
  const studies: PlannedStudy[] = [];
  try {
    for (const study of scan.studies) {
      const existing = stored.get(study.studyInstanceUID);
      const restored = input.stored?.study;
      const { all } = overridesAfter(study, formFor(study), existing, restored);
      const label = labelOf(account, { stored: existing, restored }, all, deps.clock.now());
      studies.push(await planStudy(deps, upload.folder, { scanned: study, label }, existing));
    }
    if (input.stored) adoptVolume(upload.folder, studies, input.stored);
    else if (scan.guessed) adoptGuess(upload.folder, studies, scan.guessed);
  } catch (error) {
    // The damage is marked now, so the next plan has the upload repair it.
    if (error instanceof ObjectNotFound || isDamage(error)) return "stale";
    throw error;
  }
  return { build: { studies }, stored };
}

async function planStudy(
  deps: ObjectDeps,
  folder: string,
  { scanned: study, label }: { scanned: ScannedStudy; label: StudyLabel },
  stored: StoredStudy | undefined,
): Promise<PlannedStudy> {
  const isDamaged = stored !== undefined && isUnsound(stored.study);
  const series: PlannedSeries[] = [];
  let heldBytes = 0;
  await forEachAtOnce(
    (stored?.series ?? []).entries(),
    MANIFESTS_AT_ONCE,
    async ([at, { row, manifest }]) => {
      const isHeld = heldBytes + manifest.sizeBytes <= MAX_HELD_MANIFEST_BYTES;
      if (isHeld) heldBytes += manifest.sizeBytes;
      const reading = isHeld ? readObject(deps, manifest) : copyManifest(deps, folder, manifest);
      const existing: ManifestBytes | undefined = await (isDamaged ? undefinedIfLost(reading) : reading);
      const { seriesInstanceUID, instanceCount: lostInstances } = row;
      const kept = existing ? { existing } : { lostInstances };
      series[at] = { seriesInstanceUID, manifest: newObject(folder, "manifest"), ...kept };
    },
  );
  const known = new Set(series.map(({ seriesInstanceUID }) => seriesInstanceUID));
  for (const { seriesInstanceUID } of study.series) {
    if (!known.has(seriesInstanceUID))
      series.push({ seriesInstanceUID, manifest: newObject(folder, "manifest") });
  }
  return {
    studyInstanceUID: study.studyInstanceUID,
    volume: newObject(folder, "zip"),
    label,
    series,
    ...(isDamaged && (await findLostVolumes(deps, stored.study.id))),
  };
}

/** Copies a manifest into the upload's folder; it is removed with everything there that is not an object. */
async function copyManifest(
  deps: ObjectDeps,
  folder: string,
  manifest: StoredObjectRow,
): Promise<ManifestBytes> {
  const path = join(folder, `in-force-${Bun.randomUUIDv7()}`);
  const body = await openObject(deps, manifest, { offset: 0, length: manifest.sizeBytes });
  await Bun.write(path, new Response(body));
  return { path };
}

/** Gives the stored volume's name to the plan. A volume holds one study. */
function adoptVolume(folder: string, studies: PlannedStudy[], stored: StoredVolume): void {
  const { id, key, uploadId, studyInstanceUID } = stored;
  const [study] = studies;
  if (!study || studies.length > 1) throw new IngestRefused("zip.malformed", "a volume of several studies");
  // The store gave the bytes of another object, which may be somebody else's.
  if (studyInstanceUID !== undefined && study.studyInstanceUID !== studyInstanceUID)
    throw new IngestRefused("volume.of_another_study", "its label names another study");
  study.volume = { ...objectOf(folder, id, "zip"), storedAs: { key, uploadId } };
}

/** Gives the guessed volume's id to the plan; the worker compares the contents. */
function adoptGuess(folder: string, studies: PlannedStudy[], guessed: GuessedVolume): void {
  const [study] = studies;
  if (!study || studies.length > 1) return;
  study.volume = objectOf(folder, guessed.volumeId, "zip");
  study.guessed = guessed;
}

function newObject(folder: string, extension: "zip" | "manifest"): PlannedObject {
  return objectOf(folder, Bun.randomUUIDv7(), extension);
}

function objectOf(folder: string, id: string, extension: "zip" | "manifest"): PlannedObject {
  return { id, path: join(folder, `${id}.${extension}`) };
}
