import type { ManifestInstance, SeriesManifest } from "../../archive/manifest.ts";
import type { BulkDataLocation } from "../../dicom/bulk-data.ts";
import type { IndexAttributes } from "../../dicom/instance.ts";
import type { ByteRange } from "../../storage/object-store.ts";

/** A study as its instances describe it. Dates are `YYYY-MM-DD`, times `HH:MM[:SS]`, names keep their carets. */
export interface StudyRecord
  extends Pick<
    IndexAttributes,
    | "patientName"
    | "patientID"
    | "patientBirthDate"
    | "patientSex"
    | "studyDescription"
    | "studyDate"
    | "studyTime"
    | "accessionNumber"
  > {
  studyInstanceUID: string;
  modalitiesInStudy: string[];
  seriesCount: number;
  instanceCount: number;
}

export interface SeriesRecord {
  studyInstanceUID: string;
  seriesInstanceUID: string;
  modality: string | null;
  seriesNumber: number | null;
  seriesDescription: string | null;
  instanceCount: number;
}

export interface Page {
  limit: number;
  offset: number;
}

/** Dates `YYYY-MM-DD`, both ends included; an end left out is open. */
export interface DateSpan {
  from?: string;
  to?: string;
}

/** What a QIDO-RS search for studies asks for; a key left out matches everything. Keys are joined by "and". */
export interface QidoQuery extends Page {
  /** Any of these. */
  studyInstanceUIDs?: string[];
  /** Case-insensitive, with the wildcards `*` and `?`. */
  patientName?: string;
  patientID?: string;
  accessionNumber?: string;
  studyDate?: DateSpan;
  /** Studies with any of these. */
  modalitiesInStudy?: string[];
}

export interface SeriesQuery extends Page {
  seriesInstanceUIDs?: string[];
  modality?: string;
}

/** What can be answered with: held in memory, or streamed. */
export type Bytes = Uint8Array | Blob | ReadableStream<Uint8Array>;

/** The series' DICOM JSON as it is stored: an array of its instances, `BulkDataURI`s relative to it. */
export interface StoredMetadata {
  encoding: "zstd";
  /** What it is as JSON; far more than it is as it is stored. */
  inflatedBytes: number;
  open(): Promise<Bytes>;
  /** In another coding, as `pack` makes it: kept, so that it is made once of what is read again and again. */
  packed(coding: "br" | "gzip", pack: () => Promise<Uint8Array>): Promise<Uint8Array>;
  /** Where the JSON of an instance lies in it; undefined for one not of the series. */
  rangeOf(sopInstanceUID: string): Promise<ByteRange | undefined>;
}

/** Bytes of instances, whatever way their entries are stored, in bounded memory. */
export interface InstanceBytes {
  /** In memory: at most `MAX_READ_BYTES` of them. */
  read(instance: ManifestInstance, range: ByteRange): Promise<Uint8Array>;
  /** To be streamed; without `range` the whole file. */
  open(instance: ManifestInstance, range?: ByteRange): Promise<Bytes>;
  /** As {@link open}, the offset counted in the file with its data set inflated. */
  openInflated(instance: ManifestInstance, range?: ByteRange): Promise<Bytes>;
}

/**
 * The archive as one caller may see it: what he may not see is not in it, so that `undefined` and an empty list
 * are the only answers to a UID that is unknown or not his.
 */
export interface DicomwebCatalogue extends InstanceBytes {
  studies(query: QidoQuery): Promise<StudyRecord[]>;
  series(studyInstanceUID: string, query: SeriesQuery): Promise<SeriesRecord[]>;
  /** The same object as long as the series does not change: an index by UID is kept beside it. */
  manifest(studyInstanceUID: string, seriesInstanceUID: string): Promise<SeriesManifest | undefined>;
  metadata(studyInstanceUID: string, seriesInstanceUID: string): Promise<StoredMetadata | undefined>;
  /** Where the value at a tag path of the metadata lies; undefined where there is none. */
  locate(instance: ManifestInstance, tagPath: string): Promise<BulkDataLocation | undefined>;
}

/** Whole files that a request asks for. */
export type Retrieval =
  | { level: "study" | "series"; studyInstanceUID: string }
  | { level: "instance"; studyInstanceUID: string; instance: ManifestInstance };
