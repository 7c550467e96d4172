import type { DicomJson, IndexAttributes } from "../../../shared/dicom/reading/instance.ts";
import type { ManifestInstance, SeriesManifest } from "../../archive/manifest.ts";
import type { BulkDataLocation } from "../../dicom/bulk-data.ts";
import type { Derivative } from "../../holdings/derivatives/derivative.ts";
import type { LentBytes } from "../../runtime/lent-bytes.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import type { SearchTurns } from "./turns/search-turns.ts";
import type { Searcher } from "./turns/searcher.ts";

/** How an address names a study: by our id where its UID names another one of the caller's. */
export interface Named {
  reference?: string | undefined;
}

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
    >,
    Named {
  studyInstanceUID: string;
  modalitiesInStudy: string[];
  seriesCount: number;
  instanceCount: number;
  /** Further attributes, as DICOM JSON. */
  attributes?: DicomJson | null;
}

export interface SeriesRecord extends Named {
  studyInstanceUID: string;
  seriesInstanceUID: string;
  modality: string | null;
  seriesNumber: number | null;
  seriesDescription: string | null;
  instanceCount: number;
  /** Changes with what is stored of the series. */
  version: string;
  /** Further attributes, as DICOM JSON. */
  attributes?: DicomJson | null;
}

/** The bytes of an answer, in memory or streamed. */
export type Bytes = Uint8Array | Blob | ReadableStream<Uint8Array>;

/** The series' DICOM JSON as it is stored: an array of its instances, `BulkDataURI`s relative to it. */
export interface StoredMetadata {
  encoding: "zstd";
  /** Changes with the metadata. */
  version: string;
  /** The size as JSON, far more than the stored size. */
  inflatedBytes: number;
  open(): Promise<Bytes>;
  /** Returns the metadata in another form, made by `pack` and cached by the form's name for later reads. */
  packed(form: string, pack: () => Promise<Uint8Array>): Promise<Uint8Array>;
  /** The range of an instance's JSON; undefined for an instance outside the series. */
  rangeOf(sopInstanceUID: string): Promise<ByteRange | undefined>;
  /** The range of each instance's JSON, in the order of the manifest. */
  ranges(): Promise<readonly ByteRange[]>;
}

/** A series that was found, and may be read without another look-up. */
export interface FoundSeries {
  /**
   * Reads a small series as it is stored, its index and, if they are needed, its metadata: both come from memory a moment later.
   * Nothing is held for it beside the bounded caches.
   */
  warm(needsMetadata: boolean): Promise<void>;
  manifest(): Promise<SeriesManifest>;
  metadata(): Promise<StoredMetadata>;
}

/** Reads bytes of instances, however their entries are stored, in bounded memory. */
export interface InstanceBytes {
  /** Reads a range into memory, at most `MAX_READ_BYTES`. */
  read(instance: ManifestInstance, range: ByteRange): Promise<Uint8Array>;
  /** As {@link read}, but may lend the bytes, until the caller releases them. */
  borrow(instance: ManifestInstance, range: ByteRange): Promise<LentBytes>;
  /** Opens a range as a stream; without `range` the whole file. */
  open(instance: ManifestInstance, range?: ByteRange): Promise<Bytes>;
  /** As {@link open}, with the offset counted in the file after its data set is inflated. */
  openInflated(instance: ManifestInstance, range?: ByteRange): Promise<Bytes>;
}

/**
 * The archive as one caller may see it. Studies that they may not see are not in it, so both an unknown UID and one of another
 * account give `undefined` or an empty list.
 */
export interface DicomwebCatalogue extends InstanceBytes {
  studies(): Promise<StudyRecord[]>;
  /** By their numbers; at most 10,000. */
  series(studyInstanceUID: string): Promise<SeriesRecord[]>;
  find(studyInstanceUID: string, seriesInstanceUID: string): Promise<FoundSeries | undefined>;
  /** Returns the same object as long as the series does not change, since an index by UID is cached for it. */
  manifest(studyInstanceUID: string, seriesInstanceUID: string): Promise<SeriesManifest | undefined>;
  metadata(studyInstanceUID: string, seriesInstanceUID: string): Promise<StoredMetadata | undefined>;
  /** The lossless HTJ2K copy of a series, if it has one. */
  derivative(studyInstanceUID: string, seriesInstanceUID: string): Promise<Derivative | undefined>;
  /** The versions of the copies of some series, by the versions of these. */
  copies(series: readonly SeriesRecord[]): Promise<ReadonlyMap<string, string>>;
  /** Whether its caller may retrieve whole files, as far as they and the study alone decide that; absent for a viewer. */
  isDownloadable?: boolean;
  /** For searches of instances, which take turns by caller. */
  searching: { turns: SearchTurns; searcher: Searcher };
  /** Finds the values at tag paths of the metadata with one search; undefined for a path without a value. */
  locate(
    instance: ManifestInstance,
    tagPaths: readonly string[],
  ): Promise<readonly (BulkDataLocation | undefined)[]>;
}

/** Whole files that a request asks for; `study` as its address names it. */
export type Retrieval =
  | { level: "study" | "series"; study: string }
  | { level: "instance"; study: string; instance: ManifestInstance };
