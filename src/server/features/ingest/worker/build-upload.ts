import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { inflateExactly } from "../../../archive/instance-reader";
import type { ManifestInstance } from "../../../archive/manifest";
import { ManifestError } from "../../../archive/manifest.errors";
import {
  decodeManifest,
  decodeManifestIndex,
  encodeManifest,
  mergeManifests,
  type SeriesContent,
} from "../../../archive/manifest-codec";
import { compareInstances } from "../../../archive/manifest-index";
import { type EntryBytes, VOLUME_CHUNK_BYTES, VolumeWriter } from "../../../archive/volume-writer";
import type { InstanceBytes, ScannedInstance, ScannedUpload, StudyScan } from "./scanned-upload";
import { IngestRefused } from "./worker.errors";
import type {
  BuildPlan,
  BuiltObject,
  BuiltSeries,
  BuiltStudy,
  BuiltUpload,
  PlannedObject,
  PlannedStudy,
} from "./worker-messages";

export interface BuildInput {
  uploadFolder: string;
  spoolPath: string;
  scanned: ScannedUpload;
}

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
  const disk = { spoolFd, chunk: new Uint8Array(VOLUME_CHUNK_BYTES) };
  try {
    for (const planned of plan.studies) studies.push(await buildStudy(input, disk, planned));
  } catch (error) {
    if (error instanceof ManifestError) throw new IngestRefused("manifest.damaged", error.message);
    throw error;
  } finally {
    closeSync(spoolFd);
  }
  syncFolder(input.uploadFolder);
  return { studies };
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

  const { volume, placed } = await writeVolume(
    planned.volume,
    disk,
    touched.flatMap(({ instances }) => instances),
  );
  const series: BuiltSeries[] = [];
  for (const { seriesInstanceUID, manifest, existing, instances } of touched) {
    const added = contentOf(scanned, planned.studyInstanceUID, seriesInstanceUID, instances, placed);
    const content = existing ? mergeManifests(decodeManifest(existing), added) : added;
    series.push({
      seriesInstanceUID,
      manifest: writeObject(manifest, await encodeManifest(content)),
      newInstances: instances.length,
      instanceCount: content.manifest.instances.length,
    });
  }
  return { ...counts, duplicates, volume, series };
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

async function writeVolume(
  planned: PlannedObject,
  { spoolFd, chunk }: Disk,
  instances: ScannedInstance[],
): Promise<{ volume: BuiltObject; placed: Placed }> {
  await using writer = new VolumeWriter(planned.path, planned.id, chunk);
  const placed: Placed = new Map();
  for (const instance of instances) {
    const { sizeBytes, crc32 } = instance.bytes;
    using source = openEntry(spoolFd, instance.bytes);
    const { storedBytes, method } = source;
    const { dataOffset } = await writer.add({ method, crc32, storedBytes, sizeBytes }, source.bytes);
    placed.set(instance, { volumeId: planned.id, dataOffset, storedBytes, method });
  }
  return { volume: { ...planned, ...(await writer.finish()) }, placed };
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
  readSync(spoolFd, deflated, 0, storedBytes, offset);
  const inflated = inflateExactly(deflated, sizeBytes);
  return { bytes: { bytes: inflated }, storedBytes: sizeBytes, method: 0, [Symbol.dispose]: nothingToClose };
}

function contentOf(
  scanned: ScannedUpload,
  studyInstanceUID: string,
  seriesInstanceUID: string,
  instances: ScannedInstance[],
  placed: Placed,
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

function writeObject(planned: PlannedObject, bytes: Uint8Array): BuiltObject {
  const fd = openSync(planned.path, "wx", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return {
    ...planned,
    sizeBytes: bytes.length,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
  };
}

function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
