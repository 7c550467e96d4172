import type { DicomJson } from "../dicom-json.ts";
import type { FrameTable } from "./frame-table.ts";

export type { DicomJson, DicomJsonElement } from "../dicom-json.ts";

/** Random access to the bytes of one file, without holding it in memory. Reads are synchronous, so it is for workers only. */
export interface ByteSource {
  readonly sizeBytes: number;
  /** At most `length` bytes from `offset`; fewer at the end of the file. The view is valid until the next read. */
  read(offset: number, length: number): Uint8Array;
}

/**
 * The attributes of an instance that the database index keeps, decoded to text. Dates are `YYYY-MM-DD`, times
 * `HH:MM[:SS]`. `null` if the instance does not have the attribute, or it is unreadable. Person names keep their carets.
 */
export interface IndexAttributes {
  patientName: string | null;
  patientID: string | null;
  patientBirthDate: string | null;
  /** PatientSex as the instance has it: `M`, `F`, `O` or another code. */
  patientSex: string | null;
  studyDescription: string | null;
  studyDate: string | null;
  studyTime: string | null;
  accessionNumber: string | null;
  institutionName: string | null;
  modality: string | null;
  seriesNumber: number | null;
  seriesDescription: string | null;
  instanceNumber: number | null;
  rows: number | null;
  columns: number | null;
  /** Absent if the instance has none of them. */
  kept?: KeptAttributes;
}

/** What the database keeps of an instance for searches besides its columns. */
export interface KeptAttributes {
  study?: DicomJson;
  series?: DicomJson;
}

/** One DICOM instance, read from a Part 10 file or a bare data set. */
export interface Instance {
  studyInstanceUID: string;
  seriesInstanceUID: string;
  sopInstanceUID: string;
  sopClassUID: string;
  transferSyntaxUID: string;
  index: IndexAttributes;
  /**
   * The model of PS3.18 annex F without group 0002, plus AvailableTransferSyntaxUID (0008,3002). Pixel data and other
   * large values are a `BulkDataURI` relative to the series' metadata: `instances/{sop}/bulkdata/{tag path}`.
   */
  metadata: DicomJson;
  frames: FrameTable;
}

/** Why a file is rejected; each reason has a text in both languages (`skipped.*`). */
export type SkipReason =
  | "not_dicom"
  | "dicomdir"
  | "instance.no_uid"
  | "instance.bad_uid"
  | "instance.truncated"
  | "instance.too_complex";

export type ReadInstance =
  | { ok: true; instance: Instance }
  | { ok: false; reason: SkipReason; detail: string; reference?: SopReference };

/** What a file says that it is, though it can't be kept. */
export interface SopReference {
  sopClassUID: string;
  sopInstanceUID: string;
}
