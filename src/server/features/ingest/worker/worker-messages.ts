import type { IndexAttributes, SkipReason } from "../../../../shared/dicom/reading/instance.ts";
import type { EntryFailure } from "../../../../shared/zip/zip-entry.ts";
import type { ZipFailure, ZipLimits } from "../../../../shared/zip/zip-error.ts";
import type { StudyLabel } from "../../../archive/study-label.ts";
import type { VolumeSum } from "../../../archive/volume-in-place.ts";

/** The prefix of files that large entries were inflated into. */
export const INFLATED_PREFIX = "inflated-";

/** Bounds of one upload; all absolute, since blank pixels compress 1,000 : 1. */
export interface IngestLimits extends ZipLimits {
  /** The largest inflated size of one entry. */
  maxEntryBytes: number;
  /** The largest inflated size of all entries together. */
  maxInflatedBytes: number;
  /** Larger entries are read from disk piece by piece (deflated ones: inflated into the upload's folder). */
  maxHeldBytes: number;
  maxInstances: number;
  /** How many variants (other bytes under one SOP Instance UID) are kept beside the first; further ones are named as left out. */
  maxVariants: number;
  maxStudies: number;
  /** The largest size of the whole upload's metadata as JSON. */
  maxMetadataBytes: number;
  /** The largest size of the compressed metadata in memory: real metadata compress about 100 : 1, invented ones hardly. */
  maxHeldMetadataBytes: number;
  /** The most memory that the indexes of all series may take together. */
  maxIndexBytes: number;
  /** Skipped entries that are named; the others are counted. */
  maxSkippedNames: number;
  /** Duplicates that are named beside their count. */
  maxDuplicateNames: number;
  /** Instances whose identities the result names; none if it is absent. */
  maxNamedInstances?: number;
  /** Instances of other studies are left out. */
  onlyStudyUID?: string;
  /** Uploads of at least this size are hashed by a second process while they are read. */
  minGuessedBytes: number;
  /** The time limit of one scan or one build. */
  timeoutMs: number;
  /** The most resident memory that a process may have while it reads the upload alone. */
  maxMemoryBytes: number;
  /** The largest stored size of all instances together. */
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
  | "upload.too_much_memory"
  | "upload.over_quota"
  | "upload.series_too_large"
  | "manifest.damaged"
  | "volume.of_another_study"
  | "disk.full"
  | "worker.lost"
  | "worker.slow"
  | "worker.failed";

/** Why one entry of the ZIP is left out. */
export type SkippedReason =
  | SkipReason
  | EntryFailure
  | "ignored_name"
  | "zip.crc"
  | "zip.nested"
  | "zip.too_large"
  | "instance.too_many_variants"
  | "study.other"
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

/** What an entry of the upload says it is. */
export interface NamedInstance {
  /** Of its entry in the ZIP. */
  name: string;
  /** Empty, like that of the series, for an entry that can't be kept. */
  studyInstanceUID: string;
  seriesInstanceUID: string;
  sopInstanceUID: string;
  sopClassUID: string;
}

/** The content of an upload. `studies` are in the order of their first instance and may be empty. */
export interface ScanResult {
  studies: ScannedStudy[];
  instanceCount: number;
  skipped: { name: string; reason: SkippedReason }[];
  skippedCount: number;
  /** Entries that were in the upload before, with the same bytes; at most `maxDuplicateNames`. */
  duplicateNames: string[];
  /** Every entry whose SOP Instance UID could be read, taken or not; at most `maxNamedInstances`. */
  named?: NamedInstance[];
  /** Bytes of the taken instances once inflated. */
  instanceBytes: number;
  /** Bytes of their volumes if none is stored yet, without each volume's fixed part. */
  restBytes: number;
}

/** The volume that the spool becomes under this id if it keeps every entry that looks like an instance. */
export interface GuessedVolume extends VolumeSum {
  volumeId: string;
}

/** Where an object of the build goes: `path` is a new file in the upload's folder. */
export interface PlannedObject {
  id: string;
  path: string;
  /** Where the object is in the archive store already: the spool has its bytes, and nothing is written. */
  storedAs?: StoredAs;
}

/** An object of a lost database. */
export interface StoredAs {
  key: string;
  /** With which the key begins. */
  uploadId: string;
}

/** The bytes of a manifest in force; a large one is a file in the upload's folder. */
export type ManifestBytes = Uint8Array | { path: string };

/** The objects to write; studies and series that are not named are left out. */
export interface BuildPlan {
  studies: PlannedStudy[];
  /** The most bytes of all volumes together; no more is written. */
  maxRestBytes?: number;
  /** Where to save the bytes of the spool that are overwritten if it becomes the volume. */
  undoPath?: string;
}

export interface PlannedStudy {
  studyInstanceUID: string;
  volume: PlannedObject;
  /** For each manifest of the study. */
  label: StudyLabel;
  /** The series of the upload, and all series that the study has. */
  series: PlannedSeries[];
  /** The guess about the volume, if the volume has the guessed id. */
  guessed?: GuessedVolume;
  /** Ids of the study's volumes, given only when some of its bytes are damaged or gone. */
  volumes?: string[];
  /** Ids of the damaged or missing volumes, whose instances the upload replaces as far as it brings them. */
  lostVolumes?: string[];
  /** Copies of the damaged volumes in the upload's folder, as far as they could be read. */
  salvage?: SalvagedVolume[];
}

/** A file with the bytes of a damaged volume, most of which may be right. */
export interface SalvagedVolume {
  volumeId: string;
  path: string;
  sizeBytes: number;
}

export interface PlannedSeries {
  seriesInstanceUID: string;
  manifest: PlannedObject;
  /** The manifest in force; absent for a new series and for a lost manifest. */
  existing?: ManifestBytes;
  /** How many instances the lost manifest named. */
  lostInstances?: number;
}

export interface BuiltObject extends PlannedObject {
  sizeBytes: number;
  /** Hex, of the whole object. */
  sha256: string;
}

/** A volume with the CRC-32 of each of its pieces. */
export interface BuiltVolume extends BuiltObject {
  crc32s: Uint8Array;
}

export interface BuiltSeries {
  seriesInstanceUID: string;
  manifest: BuiltObject;
  newInstances: number;
  /** Instances of the series, old and new. */
  instanceCount: number;
}

export interface BuiltStudy {
  studyInstanceUID: string;
  newInstances: number;
  /** Instances that were stored already or came twice in this upload. */
  duplicates: number;
  /** Entries whose bytes are stored already; at most `maxDuplicateNames`. */
  duplicateNames: string[];
  /** Ids of the volumes that hold what was stored already; without those that the plan names as lost. */
  duplicateVolumes: string[];
  /** Absent when nothing is new; then `series` is empty. */
  volume?: BuiltVolume;
  /** Only series with something new. */
  series: BuiltSeries[];
  /** Instances whose bytes differ from the shown instance with the same SOP Instance UID; each distinct content is kept once. */
  conflicts: ConflictingInstance[];
  leftOut: { name: string; reason: SkippedReason }[];
  /** For a damaged study: the volumes that no manifest names any more, and whether the study is whole now. */
  repair?: { freedVolumes: string[]; isWhole: boolean };
  /** Bytes of `volume` that take the place of damaged ones in volumes that stay for the rest of what they hold. */
  healedBytes?: number;
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
  /** The most bytes that large entries take while they are read: they are inflated into the upload's folder. */
  inflatedBytes: number;
  /** Of a small upload, which is scanned at once. */
  scan?: ScanResult;
}

export interface WorkerRequests {
  /**
   * The upload takes the place of its session's former one, and sessions in `ended` are forgotten. It is scanned at once if it weighs
   * no more than `scannedAtOnceBytes`.
   */
  open: {
    uploadFolder: string;
    spoolPath: string;
    limits: IngestLimits;
    scannedAtOnceBytes: number;
    ended?: number[];
  };
  /** Refused as `upload.heavy`, with the weight as the detail, when the directory declares more than `maxWeightBytes`. */
  scan: { maxWeightBytes: number };
  build: BuildPlan;
  guess: { spoolPath: string; volumeId: string; limits: IngestLimits };
  /** Begins to sum a file that is being written, and has no byte yet. */
  beginSums: { path: string; volumeId: string; maxEntries: number };
  /** Everything before `end` is in the file: bytes that have no sum of their own, or those of a chunk, which may end there. */
  sum: { end: number; of: "volume" | "chunk" | "chunk_end" };
  /** The file is whole. */
  endSums: Record<never, never>;
  dispose: Record<never, never>;
}

export interface WorkerResults {
  open: OpenedSpool;
  scan: ScanResult;
  build: BuiltUpload;
  guess: GuessedVolume | undefined;
  beginSums: undefined;
  /** SHA-256 of the chunk as hex. */
  sum: string | undefined;
  endSums: GuessedVolume | undefined;
  dispose: undefined;
}

export type WorkerBeat = keyof WorkerRequests;

/** A request to a worker, which handles one beat of a session at a time. */
export type WorkerRequest = {
  [Beat in WorkerBeat]: { session: number; beat: Beat; body: WorkerRequests[Beat] };
}[WorkerBeat];

/** A worker's reply; each request gets one. */
export type WorkerReply =
  | { ok: true; result: WorkerResults[WorkerBeat] }
  | { ok: false; failure: IngestFailure; detail: string };
