import type { EntryFailure } from "../../../../shared/zip/zip-entry.ts";
import type { ZipFailure, ZipLimits } from "../../../../shared/zip/zip-error.ts";
import type { VolumeSum } from "../../../archive/volume-in-place.ts";
import type { IndexAttributes, SkipReason } from "../../../dicom/instance.ts";

/** Begins the names of files that large entries were inflated into. */
export const INFLATED_PREFIX = "inflated-";

/** Bounds of one upload; all absolute, since blank pixels compress 1,000 : 1. */
export interface IngestLimits extends ZipLimits {
  /** What one entry may be once inflated. */
  maxEntryBytes: number;
  /** What all entries may be together once inflated. */
  maxInflatedBytes: number;
  /** Larger entries are read from disk piece by piece (deflated ones: inflated into the upload's folder). */
  maxHeldBytes: number;
  maxInstances: number;
  maxStudies: number;
  /** What the metadata of the whole upload may be as JSON. */
  maxMetadataBytes: number;
  /** What it may be as it is held in memory: real metadata compress some 100 : 1, made-up ones not at all. */
  maxHeldMetadataBytes: number;
  /** What the indexes of all series may take in memory together. */
  maxIndexBytes: number;
  /** Skipped entries that are named; the others are counted. */
  maxSkippedNames: number;
  /** Uploads from this size on are hashed by a process of their own while they are read. */
  minGuessedBytes: number;
  /** What one scan or one build may take. */
  timeoutMs: number;
  /** What the instances may be together at rest. */
  maxRestBytes?: number;
}

/** Why the whole upload is refused. */
export type IngestFailure =
  | ZipFailure
  | "upload.too_large_inflated"
  | "upload.heavy"
  | "upload.too_many_instances"
  | "upload.too_many_studies"
  | "upload.too_much_metadata"
  | "upload.over_quota"
  | "upload.series_too_large"
  | "manifest.damaged"
  | "disk.full"
  | "worker.failed";

/** Why one entry of the ZIP is left out. */
export type SkippedReason =
  | SkipReason
  | EntryFailure
  | "ignored_name"
  | "zip.crc"
  | "zip.too_large"
  | "instance.too_many_variants"
  | "series.damaged";

export interface ScannedSeries {
  seriesInstanceUID: string;
  /** Of its first instance. */
  index: IndexAttributes;
  sopInstanceUIDs: string[];
}

export interface ScannedStudy {
  studyInstanceUID: string;
  /** Of its first instance. */
  index: IndexAttributes;
  /** Distinct, sorted. */
  modalities: string[];
  series: ScannedSeries[];
  /** Instances that were in the upload more than once, counted beyond the first. */
  duplicates: number;
}

/** What an upload holds. `studies` are in the order of their first instance and may be none. */
export interface ScanResult {
  studies: ScannedStudy[];
  instanceCount: number;
  skipped: { name: string; reason: SkippedReason }[];
  skippedCount: number;
  /** Bytes of the taken instances once inflated. */
  instanceBytes: number;
  /** What their volumes take where none of them is there already, but for what a volume has once. */
  restBytes: number;
}

/** What the spool will be if it becomes the volume of this id and keeps every entry that looks like an instance. */
export interface GuessedVolume extends VolumeSum {
  volumeId: string;
}

/** Where an object of the build goes: `path` is a new file in the upload's folder. */
export interface PlannedObject {
  id: string;
  path: string;
}

/** The bytes of a manifest in force, or, where they are many, the file in the upload's folder that has them. */
export type ManifestBytes = Uint8Array | { path: string };

/** What to write; studies and series that are not named are left out. */
export interface BuildPlan {
  studies: PlannedStudy[];
  /** What all volumes together may take: no more is written. */
  maxRestBytes?: number;
}

export interface PlannedStudy {
  studyInstanceUID: string;
  volume: PlannedObject;
  /** Those of the upload, and all that the study has. */
  series: PlannedSeries[];
  /** Of the volume, where its id is the one guessed. */
  guessed?: GuessedVolume;
  /** Ids of the study's volumes, where some of its bytes are damaged or gone. */
  volumes?: string[];
  /** Those of them that are: what the upload brings of them takes their place. */
  lostVolumes?: string[];
}

export interface PlannedSeries {
  seriesInstanceUID: string;
  manifest: PlannedObject;
  /** The bytes of the manifest in force; none for a new series, or where they are lost. */
  existing?: ManifestBytes;
  /** How many instances the lost manifest named. */
  lostInstances?: number;
}

export interface BuiltObject extends PlannedObject {
  sizeBytes: number;
  /** Hex, of the whole object. */
  sha256: string;
}

/** With the CRC-32 of its pieces. */
export interface BuiltVolume extends BuiltObject {
  crc32s: Uint8Array;
}

export interface BuiltSeries {
  seriesInstanceUID: string;
  manifest: BuiltObject;
  newInstances: number;
  /** With those that were there before. */
  instanceCount: number;
}

export interface BuiltStudy {
  studyInstanceUID: string;
  newInstances: number;
  /** Instances that were there already, or twice in this upload. */
  duplicates: number;
  /** Absent where nothing is new; then `series` is empty. */
  volume?: BuiltVolume;
  /** Only series with something new. */
  series: BuiltSeries[];
  /** Instances under a SOP Instance UID whose shown instance has other bytes; kept, the same bytes once. */
  conflicts: ConflictingInstance[];
  leftOut: { name: string; reason: SkippedReason }[];
  /** Of a study with damage: the volumes that no manifest names any more, and whether nothing of it is lost now. */
  repair?: { freedVolumes: string[]; isWhole: boolean };
}

export interface ConflictingInstance {
  /** Of its entry in the ZIP. */
  name: string;
  sopInstanceUID: string;
}

export interface BuiltUpload {
  studies: BuiltStudy[];
}

export interface OpenedSpool {
  /** What large entries take while they are looked into, at most: they are inflated into the upload's folder. */
  inflatedBytes: number;
}

export interface WorkerRequests {
  open: { uploadFolder: string; spoolPath: string; limits: IngestLimits };
  /** Refused as `upload.heavy`, with the weight as its detail, where the directory says more than `maxWeightBytes`. */
  scan: { maxWeightBytes: number };
  build: BuildPlan;
  guess: { spoolPath: string; volumeId: string; limits: IngestLimits };
  dispose: Record<never, never>;
}

export interface WorkerResults {
  open: OpenedSpool;
  scan: ScanResult;
  build: BuiltUpload;
  guess: GuessedVolume | undefined;
  dispose: undefined;
}

export type WorkerBeat = keyof WorkerRequests;

/** To a worker: one beat at a time. */
export type WorkerRequest = { [Beat in WorkerBeat]: { beat: Beat; body: WorkerRequests[Beat] } }[WorkerBeat];

/** From a worker, one for each request. */
export type WorkerReply =
  | { ok: true; result: WorkerResults[WorkerBeat] }
  | { ok: false; failure: IngestFailure; detail: string };
