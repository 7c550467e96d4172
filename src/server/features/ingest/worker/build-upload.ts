import { closeSync, existsSync, fsyncSync, openSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ManifestError, ManifestTooLarge } from "../../../archive/manifest.errors.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import {
  decodeManifest,
  decodeManifestIndex,
  encodeManifest,
  mergeManifests,
  type SeriesContent,
} from "../../../archive/manifest-codec.ts";
import { compareInstances } from "../../../archive/manifest-index.ts";
import { VOLUME_CHUNK_BYTES } from "../../../archive/volume-writer.ts";
import { openVolume, type Placed } from "./open-volume.ts";
import { bytesAtRest, type ScannedInstance, type ScannedUpload, type StudyScan } from "./scanned-upload.ts";
import { IngestRefused } from "./worker.errors.ts";
import type {
  BuildPlan,
  BuiltObject,
  BuiltSeries,
  BuiltStudy,
  BuiltUpload,
  ManifestBytes,
  PlannedObject,
  PlannedStudy,
} from "./worker-messages.ts";

export interface BuildInput {
  uploadFolder: string;
  spoolPath: string;
  scanned: ScannedUpload;
}

/** Series whose metadata are joined and compressed at the same time. */
const MANIFESTS_AT_ONCE = 4;
const MIN_CHUNK_BYTES = 256 * 1024;

/**
 * Writes what the plan names into the upload's folder: for each study with something new one volume, for each
 * series with something new one manifest, joined with the one in force. The spool itself may become a volume. All
 * of it is on the disk when this resolves. An older build must have been removed.
 * @throws {IngestRefused} `manifest.damaged` where a manifest in force can't be read, `upload.over_quota` before the plan's
 *   `maxRestBytes` are passed
 */
export async function buildUpload(input: BuildInput, plan: BuildPlan): Promise<BuiltUpload> {
  for (const { path } of plannedObjects(plan)) assertInside(input.uploadFolder, path);
  const studies: BuiltStudy[] = [];
  const room = { leftBytes: plan.maxRestBytes ?? Number.POSITIVE_INFINITY };
  const chunk = new Uint8Array(chunkBytesFor(statSync(input.spoolPath).size));
  try {
    for (const planned of plan.studies) studies.push(await buildStudy(input, chunk, room, planned));
  } catch (error) {
    if (error instanceof ManifestTooLarge) throw new IngestRefused("upload.series_too_large", error.message);
    if (error instanceof ManifestError) throw new IngestRefused("manifest.damaged", error.message);
    throw error;
  }
  syncFolder(input.uploadFolder);
  // The folder itself is as new as what is in it.
  syncFolder(dirname(resolve(input.uploadFolder)));
  return { studies };
}

/** Most uploads are small, and clearing megabytes takes as long as reading one of them. */
function chunkBytesFor(spoolBytes: number): number {
  return Math.min(VOLUME_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, 2 * spoolBytes));
}

/** Removes what a build of this plan wrote, or would have. A volume that the spool became is the spool again. */
export async function removeBuild(plan: BuildPlan, spoolPath: string): Promise<void> {
  const [study] = plan.studies;
  if (study && !existsSync(spoolPath)) await rename(study.volume.path, spoolPath);
  for (const { path } of plannedObjects(plan)) await rm(path, { force: true });
}

function plannedObjects(plan: BuildPlan): PlannedObject[] {
  return plan.studies.flatMap(({ volume, series }) => [volume, ...series.map(({ manifest }) => manifest)]);
}

function assertInside(uploadFolder: string, path: string): void {
  if (dirname(resolve(path)) !== resolve(uploadFolder))
    throw new RangeError("an object is not in the upload's folder");
}

async function buildStudy(
  input: BuildInput,
  chunk: Uint8Array,
  room: { leftBytes: number },
  planned: PlannedStudy,
): Promise<BuiltStudy> {
  const { scanned, spoolPath } = input;
  const study = scanned.studies.get(planned.studyInstanceUID);
  if (!study) throw new RangeError("the plan names a study that the upload does not hold");
  const known = await knownInstances(planned);
  const fresh = (instance: ScannedInstance) => !known.has(instance.described.sopInstanceUID);
  const touched = planned.series
    .map((series) => ({ ...series, instances: instancesOf(study, series.seriesInstanceUID).filter(fresh) }))
    .filter(({ instances }) => instances.length > 0);
  const newInstances = touched.reduce((sum, series) => sum + series.instances.length, 0);
  const offered = planned.series.reduce((sum, s) => sum + instancesOf(study, s.seriesInstanceUID).length, 0);
  const counts = { studyInstanceUID: planned.studyInstanceUID, newInstances };
  const duplicates = study.duplicates + offered - newInstances;
  if (newInstances === 0) return { ...counts, duplicates, series: [] };

  const instances = touched.flatMap((series) => series.instances);
  room.leftBytes -= instances.reduce((sum, { bytes }) => sum + bytesAtRest(bytes), 0);
  if (room.leftBytes < 0) throw new IngestRefused("upload.over_quota", "more at rest than there is room for");
  const spooled = { scanned, spoolPath, chunk, guessed: planned.guessed };
  await using volume = await openVolume(spooled, planned.volume, instances);
  const describe = { scanned, studyInstanceUID: planned.studyInstanceUID, placed: volume.placed };
  // Together: syncs of several files cost the disk hardly more than one.
  const [finished, series] = await Promise.all([volume.finish(), writeManifests(describe, touched)]);
  return { ...counts, duplicates, volume: { ...planned.volume, ...finished }, series };
}

/** A series of the plan with the instances of the upload that are new to it. */
type TouchedSeries = PlannedStudy["series"][number] & { instances: ScannedInstance[] };

interface Described {
  scanned: ScannedUpload;
  studyInstanceUID: string;
  placed: Placed;
}

async function writeManifests(study: Described, touched: TouchedSeries[]): Promise<BuiltSeries[]> {
  const built: BuiltSeries[] = [];
  for (let at = 0; at < touched.length; at += MANIFESTS_AT_ONCE) {
    const some = touched.slice(at, at + MANIFESTS_AT_ONCE);
    built.push(...(await Promise.all(some.map((series) => writeManifest(study, series)))));
  }
  return built;
}

async function writeManifest(study: Described, series: TouchedSeries): Promise<BuiltSeries> {
  const { seriesInstanceUID, manifest, existing, instances } = series;
  const added = contentOf(study, seriesInstanceUID, instances);
  const content = existing ? mergeManifests(await decodeManifest(await bytesOf(existing)), added) : added;
  return {
    seriesInstanceUID,
    manifest: await writeObject(manifest, await encodeManifest(content)),
    newInstances: instances.length,
    instanceCount: content.manifest.instances.length,
  };
}

function instancesOf(study: StudyScan, seriesInstanceUID: string): ScannedInstance[] {
  return study.series.get(seriesInstanceUID)?.instances ?? [];
}

/** The SOP Instance UIDs that the manifests in force name. */
async function knownInstances({ series, otherManifests = [] }: PlannedStudy): Promise<Set<string>> {
  const existing = series.flatMap((planned) => planned.existing ?? []);
  const known = new Set<string>();
  for (const manifest of [...existing, ...otherManifests]) {
    const { instances } = decodeManifestIndex(await bytesOf(manifest));
    for (const { sopInstanceUID } of instances) known.add(sopInstanceUID);
  }
  return known;
}

async function bytesOf(manifest: ManifestBytes): Promise<Uint8Array> {
  return manifest instanceof Uint8Array ? manifest : await Bun.file(manifest.path).bytes();
}

function contentOf(
  { scanned, studyInstanceUID, placed }: Described,
  seriesInstanceUID: string,
  instances: ScannedInstance[],
): SeriesContent {
  const origin = new Map<ManifestInstance, ScannedInstance>();
  for (const instance of instances) {
    const place = placed.get(instance);
    if (!place) throw new RangeError("an instance was not written");
    const { sizeBytes, crc32 } = instance.bytes;
    origin.set({ ...instance.described, ...place, sizeBytes, crc32 }, instance);
  }
  return {
    manifest: {
      version: 1,
      studyInstanceUID,
      seriesInstanceUID,
      instances: [...origin.keys()].sort(compareInstances),
    },
    metadataOf: (instance) => {
      const from = origin.get(instance);
      if (!from) throw new RangeError("an instance is not of this upload");
      return scanned.metadata.read(from.metadata);
    },
  };
}

async function writeObject(planned: PlannedObject, bytes: Uint8Array): Promise<BuiltObject> {
  await using file = await open(planned.path, "wx", 0o600);
  await file.writeFile(bytes);
  await file.sync();
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return { ...planned, sizeBytes: bytes.length, sha256 };
}

/** Makes the names of the new files durable, not only their bytes. */
function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
