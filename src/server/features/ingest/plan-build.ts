import { join } from "node:path";
import { findLostVolumes, isDamage, undefinedIfLost } from "../../holdings/checking/find-lost.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import { type ObjectDeps, openObject, readObject } from "../../holdings/reading/open-object.ts";
import { ObjectNotFound } from "../../storage/object-store.ts";
import { findStoredStudies, type StoredStudy } from "../studies/study-contents.repo.ts";
import type { Guess } from "./worker/ingest-workers.ts";
import type {
  BuildPlan,
  GuessedVolume,
  ManifestBytes,
  PlannedObject,
  PlannedSeries,
  PlannedStudy,
  ScannedStudy,
  ScanResult,
} from "./worker/worker-messages.ts";

/** Up to this much of a study's manifests is held and sent to the worker; the rest is passed in files. */
const MAX_HELD_MANIFEST_BYTES = 4 * 1024 * 1024;

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
}

/**
 * Decides which objects an upload becomes, and reads the manifests in force of the studies it adds to. Returns `"stale"` when one
 * of these was deleted meanwhile: the caller looks again.
 */
export async function planBuild(
  deps: ObjectDeps,
  upload: UploadPlace,
  scan: ScanResult & Guess,
): Promise<PlannedUpload | "stale"> {
  const uids = scan.studies.map((study) => study.studyInstanceUID);
  const stored = await findStoredStudies(deps.db, upload.accountId, uids);
  const studies: PlannedStudy[] = [];
  try {
    for (const study of scan.studies) {
      studies.push(await planStudy(deps, upload.folder, study, stored.get(study.studyInstanceUID)));
    }
    if (scan.guessed) adoptGuess(upload.folder, studies, scan.guessed);
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
  study: ScannedStudy,
  stored: StoredStudy | undefined,
): Promise<PlannedStudy> {
  const isDamaged = stored !== undefined && isUnsound(stored.study);
  const series: PlannedSeries[] = [];
  let heldBytes = 0;
  for (const { row, manifest } of stored?.series ?? []) {
    const isHeld = heldBytes + manifest.sizeBytes <= MAX_HELD_MANIFEST_BYTES;
    if (isHeld) heldBytes += manifest.sizeBytes;
    const reading = isHeld ? readObject(deps, manifest) : copyManifest(deps, folder, manifest);
    const existing: ManifestBytes | undefined = await (isDamaged ? undefinedIfLost(reading) : reading);
    const { seriesInstanceUID, instanceCount: lostInstances } = row;
    const kept = existing ? { existing } : { lostInstances };
    series.push({ seriesInstanceUID, manifest: newObject(folder, "manifest"), ...kept });
  }
  const known = new Set(series.map(({ seriesInstanceUID }) => seriesInstanceUID));
  for (const { seriesInstanceUID } of study.series) {
    if (!known.has(seriesInstanceUID))
      series.push({ seriesInstanceUID, manifest: newObject(folder, "manifest") });
  }
  return {
    studyInstanceUID: study.studyInstanceUID,
    volume: newObject(folder, "zip"),
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
