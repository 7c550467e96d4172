import { closeSync, existsSync, fsync, openSync, statSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { writeFully } from "../../../archive/file-window.ts";
import { ManifestError, ManifestTooLarge } from "../../../archive/manifest.errors.ts";
import type { KeptVariant, ManifestInstance, SeriesManifest } from "../../../archive/manifest.ts";
import {
  decodeManifest,
  decodeManifestIndex,
  mergeManifests,
  type SeriesContent,
} from "../../../archive/manifest-codec.ts";
import { compareInstances } from "../../../archive/manifest-index.ts";
import type { StudyLabel } from "../../../archive/study-label.ts";
import { VOLUME_CHUNK_BYTES } from "../../../archive/volume-writer.ts";
import { chunks } from "../../../runtime/chunks.ts";
import { newBuffer } from "../../../runtime/new-buffer.ts";
import { encodeHealed, healedBeside, movedTo, placeKey } from "./healed-entries.ts";
import { openVolume, type Place, type Placed } from "./open-volume.ts";
import { plannedObjects, removeObjects } from "./remove-objects.ts";
import { salvageEntries } from "./salvage-entries.ts";
import { bytesAtRest, type ScannedInstance, type ScannedUpload } from "./scanned-upload.ts";
import {
  bytesOf,
  type Incoming,
  type Placeable,
  sortInstances,
  type TouchedSeries,
} from "./sort-instances.ts";
import { IngestRefused } from "./worker.errors.ts";
import type {
  BuildPlan,
  BuiltObject,
  BuiltSeries,
  BuiltStudy,
  BuiltUpload,
  PlannedObject,
  PlannedStudy,
} from "./worker-messages.ts";

export interface BuildFiles {
  uploadFolder: string;
  spoolPath: string;
  scanned: ScannedUpload;
}

interface BuildInput extends BuildFiles {
  undoPath: string | undefined;
}

/** Series whose metadata are joined and compressed at the same time. */
const MANIFESTS_AT_ONCE = 4;
const MIN_CHUNK_BYTES = 256 * 1024;

const flush = promisify(fsync);

/**
 * Writes what the plan names into the upload's folder: for each study with something new one volume, for each series with something
 * new one manifest, joined with the one in force. The spool itself may become a volume. Everything is durable when this resolves.
 * An older build must be removed before.
 * @throws {IngestRefused} `manifest.damaged` when a manifest in force can't be read, `upload.over_quota` before the build exceeds
 *   `maxRestBytes`
 */
export async function buildUpload(given: BuildFiles, plan: BuildPlan): Promise<BuiltUpload> {
  const input = { ...given, undoPath: plan.undoPath };
  for (const { path } of plannedObjects(plan)) assertInside(input.uploadFolder, path);
  const studies: BuiltStudy[] = [];
  const room = { leftBytes: plan.maxRestBytes ?? Number.POSITIVE_INFINITY };
  const chunk = newBuffer(chunkBytesFor(statSync(input.spoolPath).size));
  try {
    for (const planned of plan.studies) studies.push(await buildStudy(input, chunk, room, planned));
  } catch (error) {
    if (error instanceof ManifestTooLarge) throw new IngestRefused("upload.series_too_large", error.message);
    if (error instanceof ManifestError) throw new IngestRefused("manifest.damaged", error.message);
    throw error;
  }
  // The upload's folder is new too, so its own name is synced in its parent.
  const folders = [input.uploadFolder, dirname(resolve(input.uploadFolder))];
  await Promise.all(folders.map(syncFolder));
  return { studies };
}

/** The buffer is small for most uploads, since the system clears each page of new memory when it is first used. */
function chunkBytesFor(spoolBytes: number): number {
  return Math.min(VOLUME_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, 2 * spoolBytes));
}

/** Removes what a build of this plan wrote or would have written. A spool that became a volume is the spool again. */
export async function removeBuild(plan: BuildPlan, spoolPath: string): Promise<void> {
  const [study] = plan.studies;
  if (study && !existsSync(spoolPath)) await rename(study.volume.path, spoolPath);
  await removeObjects(plan);
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
  const kept = await sortInstances(planned, study, scanned.limits.maxVariants);
  const { series: sorted, duplicateNames, conflicts, leftOut, lost } = kept;
  await salvageEntries(planned, lost);
  const touched = sorted.filter((series) => instancesFor(series).length > 0);
  const summary = {
    studyInstanceUID: planned.studyInstanceUID,
    newInstances: touched.reduce((sum, { fresh }) => sum + fresh.length, 0),
    duplicates: study.duplicates + duplicateNames.length,
    duplicateNames: duplicateNames.slice(0, scanned.limits.maxDuplicateNames),
    duplicateVolumes: [...kept.duplicateVolumes],
    conflicts,
    leftOut,
  };
  if (touched.length === 0) return { ...summary, series: [], ...(await repairOf(planned, sorted, [])) };

  const instances = touched.flatMap(instancesFor);
  // What is salvaged takes the room of the volume that it leaves.
  const brought = instances.filter((instance) => !("salvaged" in instance));
  room.leftBytes -= brought.reduce((sum, { bytes }) => sum + bytesAtRest(bytes), 0);
  if (room.leftBytes < 0) throw new IngestRefused("upload.over_quota", "more at rest than there is room for");
  const spooled = { scanned, spoolPath, chunk, guessed: planned.guessed, undoPath: input.undoPath };
  await using volume = await openVolume(spooled, planned.volume, instances);
  const { studyInstanceUID, label } = planned;
  const describe = { scanned, studyInstanceUID, label, placed: volume.placed };
  // These run concurrently, since syncing several files costs the disk hardly more than syncing one.
  const [finished, series] = await Promise.all([volume.finish(), writeManifests(describe, touched)]);
  const built = series.map(({ content: _, ...object }) => object);
  const written = series.map(({ content }) => content);
  const { repair } = await repairOf(planned, sorted, written);
  const healedBytes = repair && healedBeside(repair.freedVolumes, touched, finished.sizeBytes);
  return {
    ...summary,
    volume: { ...planned.volume, ...finished },
    series: built,
    ...(repair && { repair }),
    ...(healedBytes && { healedBytes }),
  };
}

/** Every instance and variant that has to be written for a series. */
function instancesFor({ fresh, variants, healed }: TouchedSeries): Placeable[] {
  return [...fresh, ...variants, ...healed.values()];
}

/** Finds the volumes of a damaged study that no manifest names once `written` is in force. */
async function repairOf(
  planned: PlannedStudy,
  sorted: TouchedSeries[],
  written: SeriesManifest[],
): Promise<Pick<BuiltStudy, "repair">> {
  if (!planned.volumes) return {};
  const isWritten = new Set(written.map(({ seriesInstanceUID }) => seriesInstanceUID));
  const others = sorted.filter(({ seriesInstanceUID }) => !isWritten.has(seriesInstanceUID));
  const named = new Set(written.flatMap(volumesOf));
  for (const { existing } of others) {
    if (existing) for (const id of volumesOf(decodeManifestIndex(await bytesOf(existing)))) named.add(id);
  }
  const hasAllManifests = others.every(({ lostInstances }) => lostInstances === undefined);
  // A manifest that was lost, now or before, may have named more than its replacement: sound volumes stay part of downloads.
  const { lostVolumes = [] } = planned;
  const freedVolumes = hasAllManifests ? lostVolumes.filter((id) => !named.has(id)) : [];
  const isWhole = hasAllManifests && lostVolumes.every((id) => !named.has(id));
  return { repair: { freedVolumes, isWhole } };
}

interface Described {
  scanned: ScannedUpload;
  studyInstanceUID: string;
  label: StudyLabel;
  placed: Placed;
}

function volumesOf({ instances, variants = [] }: SeriesManifest): string[] {
  return [...new Set([...instances, ...variants].map(({ volumeId }) => volumeId))];
}

type WrittenSeries = BuiltSeries & { content: SeriesManifest };

async function writeManifests(study: Described, touched: TouchedSeries[]): Promise<WrittenSeries[]> {
  const built: WrittenSeries[] = [];
  for (const some of chunks(touched, MANIFESTS_AT_ONCE)) {
    built.push(...(await Promise.all(some.map((series) => writeManifest(study, series)))));
  }
  return built;
}

async function writeManifest(study: Described, series: TouchedSeries): Promise<WrittenSeries> {
  const { seriesInstanceUID, manifest, existing, fresh } = series;
  const added = contentOf(study, seriesInstanceUID, fresh);
  const merged = existing
    ? mergeManifests(withHealed(await decodeManifest(await bytesOf(existing)), study, series), added)
    : added;
  const variants = [...(merged.manifest.variants ?? []), ...series.variants.map((v) => variantOf(study, v))];
  const content = {
    ...merged,
    manifest: { ...merged.manifest, label: study.label, ...(variants.length > 0 && { variants }) },
  };
  return {
    seriesInstanceUID,
    manifest: await writeObject(manifest, await encodeHealed(content)),
    newInstances: fresh.length,
    instanceCount: content.manifest.instances.length,
    content: content.manifest,
  };
}

/** The kept content, in which healed instances have their places in the new volume. */
function withHealed(kept: SeriesContent, study: Described, { healed }: TouchedSeries): SeriesContent {
  const placeOf = new Map(
    Array.from(healed, ([lost, incoming]) => [placeKey(lost), placedIn(study, incoming)] as const),
  );
  const origin = new Map<ManifestInstance, ManifestInstance>();
  const instances = kept.manifest.instances.map((instance) => {
    const moved = movedTo(instance, placeOf.get(placeKey(instance)));
    origin.set(moved, instance);
    return moved;
  });
  const variants = kept.manifest.variants?.map((variant) => movedTo(variant, placeOf.get(placeKey(variant))));
  return {
    manifest: { ...kept.manifest, instances, ...(variants && { variants }) },
    metadataOf: (instance) => kept.metadataOf(origin.get(instance) ?? instance),
  };
}

function variantOf(study: Described, incoming: Incoming): KeptVariant {
  const { sizeBytes, crc32, contentHash } = incoming.bytes;
  const sopInstanceUID =
    "described" in incoming ? incoming.described.sopInstanceUID : incoming.sopInstanceUID;
  return { sopInstanceUID, ...placedIn(study, incoming), sizeBytes, crc32, contentHash };
}

function placedIn({ placed }: Described, incoming: Placeable): Place {
  const place = placed.get(incoming);
  if (!place) throw new RangeError("an instance was not written");
  return place;
}

function contentOf(study: Described, seriesInstanceUID: string, instances: ScannedInstance[]): SeriesContent {
  const { scanned, studyInstanceUID } = study;
  const origin = new Map<ManifestInstance, ScannedInstance>();
  for (const instance of instances) {
    const place = placedIn(study, instance);
    const { sizeBytes, crc32, contentHash } = instance.bytes;
    origin.set({ ...instance.described, ...place, sizeBytes, crc32, contentHash }, instance);
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
  const fd = openSync(planned.path, "wx", 0o600);
  try {
    writeFully(fd, bytes, 0);
    const flushed = flush(fd);
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    await flushed;
    return { ...planned, sizeBytes: bytes.length, sha256 };
  } finally {
    closeSync(fd);
  }
}

/** Makes the names of the new files durable, not only their bytes. */
async function syncFolder(path: string): Promise<void> {
  const fd = openSync(path, "r");
  try {
    await flush(fd);
  } finally {
    closeSync(fd);
  }
}
