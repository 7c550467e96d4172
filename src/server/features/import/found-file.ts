/** A file below a named path, as it was found. */
export interface FoundFile {
  /** Absolute, without symbolic links, as `storage/disk/raw-path` writes names. */
  path: string;
  sizeBytes: number;
  /** Nanoseconds since 1970. */
  modifiedNs: bigint;
}

/**
 * How one file ended. `skipped`: it is no instance and no ZIP. `refused`: it should have been taken, and was not. `conflict`: it was
 * taken beside other bytes under the same SOP Instance UID.
 */
export type FileOutcome = "taken" | "already there" | "conflict" | "skipped" | "refused";

/** One line of the report. */
export interface FileReport {
  path: string;
  outcome: FileOutcome;
  /** A stable code, such as `not_dicom` or `quota.exams`. */
  reason?: string;
  /** Instances of a ZIP that were taken. */
  instances?: number;
}
