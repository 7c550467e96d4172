import type { FrameTable } from "../../shared/dicom/reading/frame-table.ts";
import type { StudyLabel } from "./study-label.ts";

/** One instance in a volume. Offsets and lengths in bytes. */
export interface ManifestInstance {
  sopInstanceUID: string;
  sopClassUID: string;
  transferSyntaxUID: string;
  instanceNumber: number | null;
  rows: number | null;
  columns: number | null;
  /** `stored_objects.id` of the volume that holds it. */
  volumeId: string;
  /** First byte of the entry's data in the volume, behind its local file header. */
  dataOffset: number;
  /** Bytes of the entry in the volume; fewer than `sizeBytes` if `method` is 8 (deflate). */
  storedBytes: number;
  sizeBytes: number;
  method: 0 | 8;
  crc32: number;
  frames: FrameTable;
  /** From `ContentHash`. Instances that release 0.1 stored have none. */
  contentHash?: string;
  /** The volumes that held it before it was healed, oldest first; at most {@link MAX_FORMER_VOLUMES}. */
  formerVolumeIds?: string[];
}

export const MAX_FORMER_VOLUMES = 3;

/** Different bytes that arrived under the SOP Instance UID of an instance. They are kept and downloaded, but not shown. */
export type KeptVariant = Pick<
  ManifestInstance,
  | "sopInstanceUID"
  | "volumeId"
  | "dataOffset"
  | "storedBytes"
  | "sizeBytes"
  | "method"
  | "crc32"
  | "contentHash"
  | "formerVolumeIds"
>;

/** The index of a series: everything about its instances that is not in the database. */
export interface SeriesManifest {
  version: 1;
  studyInstanceUID: string;
  seriesInstanceUID: string;
  /** In the order of InstanceNumber, then SOP Instance UID. */
  instances: ManifestInstance[];
  /** In the order of their arrival. */
  variants?: KeptVariant[];
  /** Absent in manifests of older releases. */
  label?: StudyLabel;
}
