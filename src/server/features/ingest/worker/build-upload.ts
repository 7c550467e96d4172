import { closeSync, fstatSync, fsyncSync, openSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { readFully } from "../../../archive/file-window.ts";
import { inflateExactly } from "../../../archive/instance-reader.ts";
import { ManifestError } from "../../../archive/manifest.errors.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import {
  decodeManifest,
  decodeManifestIndex,
  encodeManifest,
  mergeManifests,
  type SeriesContent,
} from "../../../archive/manifest-codec.ts";
import { compareInstances } from "../../../archive/manifest-index.ts";
import { type EntryBytes, VOLUME_CHUNK_BYTES, VolumeWriter } from "../../../archive/volume-writer.ts";
import type { InstanceBytes, ScannedInstance, ScannedUpload, StudyScan } from "./scanned-upload.ts";
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

export interface BuildInput {
  uploadFolder: string;
  spoolPath: string;
  scanned: ScannedUpload;
}

/** Series whose metadata are joined and compressed at the same time. */
const MANIFESTS_AT_ONCE = 4;
const MIN_CHUNK_BYTES = 256 * 1024;

/** What every volume of a build is made with. */
interface Disk {
  spoolFd: number;
  chunk: Uint8Array;
}

/**
 * Writes what the plan names into the upload's folder: for each study with something new one volume, for each
 * series with something new one manifest, joined with the one in force. All of it is on the disk when this
 * resolves. An older build's files must be gone.
 * @throws {IngestRefused} `manifest.damaged` where a manifest in force can't be read
 */
export async function buildUpload(input: BuildInput, plan: BuildPlan): Promise<BuiltUpload> {
  for (const { path } of plannedObjects(plan)) assertInside(input.uploadFolder, path);
  const studies: BuiltStudy[] = [];
  const spoolFd = openSync(input.spoolPath, "r");
  const disk = { spoolFd, chunk: new Uint8Array(chunkBytesFor(fstatSync(spoolFd).size)) };
  try {
    for (const planned of plan.studies) studies.push(await buildStudy(input, disk, planned));
  } catch (error) {
    if (error instanceof ManifestError) throw new IngestRefused("manifest.damaged", error.message);
    throw error;
  } finally {
    closeSync(spoolFd);
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

/** Removes what a build of this plan wrote, or would have. */
export async function removeBuild(plan: BuildPlan): Promise<void> {
  for (const { path } of plannedObjects(plan)) await rm(path, { force: true });
}

function plannedObjects(plan: BuildPlan): PlannedObject[] {
  return plan.studies.flatMap(({ volume, series }) => [volume, ...series.map(({ manifest }) => manifest)]);
}

function assertInside(uploadFolder: string, path: string): void {
  if (dirname(resolve(path)) !== resolve(uploadFolder))
    throw new RangeError("an object is not in the upload's folder");
}

async function buildStudy({ scanned }: BuildInput, disk: Disk, planned: PlannedStudy): Promise<BuiltStudy> {
  const study = scanned.studies.get(planned.studyInstanceUID);
  if (!study) throw new RangeError("the plan names a study that the upload does not hold");
  const known = knownInstances(planned);
  const fresh = (instance: ScannedInstance) => !known.has(instance.described.sopInstanceUID);
  const touched = planned.series
    .map((series) => ({ ...series, instances: instancesOf(study, series.seriesInstanceUID).filter(fresh) }))
    .filter(({ instances }) => instances.length > 0);
  const newInstances = touched.reduce((sum, { instances }) => sum + instances.length, 0);
  const offered = planned.series.reduce((sum, s) => sum + instancesOf(study, s.seriesInstanceUID).length, 0);
  const counts = { studyInstanceUID: planned.studyInstanceUID, newInstances };
  const duplicates = study.duplicates + offered - newInstances;
  if (newInstances === 0) return { ...counts, duplicates, series: [] };

  await using writer = new VolumeWriter(planned.volume.path, planned.volume.id, disk.chunk);
  const placed: Placed = new Map();
  for (const { instances } of touched)
    await placeInstances(writer, planned.volume.id, disk, instances, placed);
  const describe = { scanned, studyInstanceUID: planned.studyInstanceUID, placed };
  // Together: syncs of several files cost the disk hardly more than one.
  const [volume, series] = await Promise.all([writer.finish(), writeManifests(describe, touched)]);
  return { ...counts, duplicates, volume: { ...planned.volume, ...volume }, series };
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
  const content = existing ? mergeManifests(decodeManifest(existing), added) : added;
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
function knownInstances({ series, otherManifests = [] }: PlannedStudy): Set<string> {
  const existing = series.flatMap((planned) => planned.existing ?? []);
  const known = new Set<string>();
  for (const bytes of [...existing, ...otherManifests]) {
    for (const { sopInstanceUID } of decodeManifestIndex(bytes).instances) known.add(sopInstanceUID);
  }
  return known;
}

type Placed = Map<
  ScannedInstance,
  Pick<ManifestInstance, "volumeId" | "dataOffset" | "storedBytes" | "method">
>;

async function placeInstances(
  writer: VolumeWriter,
  volumeId: string,
  { spoolFd }: Disk,
  instances: ScannedInstance[],
  placed: Placed,
): Promise<void> {
  for (const instance of instances) {
    const { sizeBytes, crc32 } = instance.bytes;
    using source = openEntry(spoolFd, instance.bytes);
    const { storedBytes, method } = source;
    const { dataOffset } = await writer.add({ method, crc32, storedBytes, sizeBytes }, source.bytes);
    placed.set(instance, { volumeId, dataOffset, storedBytes, method });
  }
}

interface OpenEntry extends Disposable {
  bytes: EntryBytes;
  storedBytes: number;
  method: 0 | 8;
}

function openEntry(spoolFd: number, bytes: InstanceBytes): OpenEntry {
  const { source, offset, storedBytes, method, sizeBytes } = bytes;
  if (source !== "spool") {
    const fd = openSync(source.inflatedPath, "r");
    return { bytes: { fd, offset }, storedBytes, method, [Symbol.dispose]: () => closeSync(fd) };
  }
  const nothingToClose = () => {};
  if (!bytes.inflateBeforeWriting) {
    return { bytes: { fd: spoolFd, offset }, storedBytes, method, [Symbol.dispose]: nothingToClose };
  }
  const deflated = new Uint8Array(storedBytes);
  readFully(spoolFd, deflated, offset, storedBytes);
  const inflated = inflateExactly(deflated, sizeBytes);
  return { bytes: { bytes: inflated }, storedBytes: sizeBytes, method: 0, [Symbol.dispose]: nothingToClose };
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
