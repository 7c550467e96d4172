import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import type { DocumentKind } from "../../../shared/dicom/document-kind.ts";
import type { Locale } from "../../../shared/locale.ts";

export interface SeriesRecord {
  studyInstanceUID: string;
  seriesInstanceUID: string;
  seriesNumber: number | null;
  modality: string;
  description: string;
  instanceCount: number;
}

/** Names one frame wherever it is kept. */
export interface FrameAddress {
  studyInstanceUID: string;
  seriesInstanceUID: string;
  sopInstanceUID: string;
  /** Counts from 0. */
  frameIndex: number;
}

export interface EncodedFrame {
  bytes: Uint8Array<ArrayBuffer>;
  transferSyntaxUID: string;
  /** Takes back the memory of `bytes` once they are decoded. */
  giveBack?: ((memory: ArrayBuffer) => void) | undefined;
}

/** Where the visor reads exams from: a server, files on this device, or a demonstration. */
export interface StackSource {
  /** The series to begin with, if the source knows it before it has listed any. */
  beginWith?(studyInstanceUID: string): Promise<string | undefined>;
  listSeries(studyInstanceUID: string, signal: AbortSignal): Promise<SeriesRecord[]>;
  /** The image to begin with, if the source can give it before it has listed any series. */
  firstImage?(studyInstanceUID: string, signal: AbortSignal): Promise<FirstImage | undefined>;
  /**
   * The DICOM JSON of a series' instances, in any order.
   * @param until until then an answer is asked for but not taken in, which keeps a slow phone busy
   */
  readMetadata(series: SeriesUIDs, signal: AbortSignal, until?: Promise<unknown>): Promise<DicomJson[]>;
  /** @throws {SourceEnded} when access has ended; {SourceDamaged}; any other failure may pass */
  readFrame(frame: FrameAddress, options: FrameReading): Promise<EncodedFrame>;
  /**
   * A document as it is read: a PDF, or the page of a structured report. Absent where documents can't be read.
   * @throws {SourceUnreadable}, {SourceMissing}, {SourceUnreachable}, {SourceCutOff}, and as {@link readFrame}
   */
  readDocument?(document: InstanceUIDs, options: DocumentReading): Promise<Blob>;
  /** Reads what is drawn over images. @throws as {@link readFrame} */
  readBulkData?: BulkDataReader;
}

/** Bytes of the value of an element at the first level, little-endian; fewer where it ends before. */
export type BulkDataReader = (
  instance: InstanceUIDs,
  range: BulkDataRange,
  signal: AbortSignal,
) => Promise<Uint8Array<ArrayBuffer>>;

export interface BulkDataRange {
  /** As a key of the DICOM JSON model. */
  tag: string;
  offset: number;
  length: number;
}

/** An instance that is read and not looked at. */
export interface DocumentRecord {
  /** Unique among all documents. */
  key: string;
  series: SeriesRecord;
  /** Undefined until the series is read: its first document is meant. */
  sopInstanceUID: string | undefined;
  kind: DocumentKind;
  /** Its own, else what describes its series; empty if neither says anything. */
  title: string;
}

export interface DocumentReading {
  /** Of the page of a structured report. */
  language: Locale;
  signal: AbortSignal;
}

/** One image of a study; its frame is read as any other. */
export interface FirstImage {
  metadata: DicomJson;
  /** Whether the frame came, once that is known: until then it has the line for itself. */
  arrived: Promise<boolean>;
}

export interface FrameReading {
  isUrgent: boolean;
  signal: AbortSignal;
  /**
   * Takes the beginning of a frame that is a coarser picture, before the rest of it has arrived. The bytes change once it returns,
   * so a caller that needs them later copies them.
   */
  onPrefix?: ((prefix: EncodedFrame) => void) | undefined;
}

export type SeriesUIDs = Pick<SeriesRecord, "studyInstanceUID" | "seriesInstanceUID">;

export type InstanceUIDs = SeriesUIDs & { sopInstanceUID: string };

/** What was asked for is not there: it never was, or it was deleted or is no longer shared. */
export class SourceMissing extends TypeError {
  override name = "SourceMissing";
}

/** It is there, but nobody can read it here: it has nothing to show, or too much. */
export class SourceUnreadable extends TypeError {
  override name = "SourceUnreadable";
}

/** The files of this device can no longer be read, as after their disc was taken out. */
export class SourceUnreachable extends Error {
  override name = "SourceUnreachable";
}

/** The answer began and broke off. */
export class SourceCutOff extends TypeError {
  override name = "SourceCutOff";
}

/** What is kept no longer matches what was received, so the server does not give it. */
export class SourceDamaged extends TypeError {
  override name = "SourceDamaged";
}

/** The access that the source was opened with has ended. */
export class SourceEnded extends Error {
  override name = "SourceEnded";
}
