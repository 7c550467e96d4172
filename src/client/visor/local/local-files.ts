import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import type { IndexAttributes } from "../../../shared/dicom/reading/instance.ts";
import type { BulkDataRange, EncodedFrame, SeriesRecord } from "../core/source.ts";

/** A file of this device: picked alone, in a folder, or a ZIP. */
export interface LocalFile {
  /** With its folders, if it has any. */
  path: string;
  blob: Blob;
}

/** An exam that was found in files, as its first instance describes it. */
export interface LocalStudy {
  studyInstanceUID: string;
  about: Pick<
    IndexAttributes,
    "patientName" | "studyDescription" | "studyDate" | "institutionName" | "modality"
  >;
  series: SeriesRecord[];
}

/** What the files hold; the study with the most images comes first. */
export interface LocalExams {
  studies: LocalStudy[];
  /** How many files, and entries of ZIPs, there are in all; some have names that no image has. */
  files: number;
  /** The syntaxes of the images, so that their codecs can be loaded before the first one is seen. */
  transferSyntaxUIDs: string[];
  /** A limit ended the reading: there may be more images than are shown. */
  isCut: boolean;
}

/** A document as its file has it. */
export type LocalDocument =
  | { kind: "pdf" | "cda"; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "report"; report: DicomJson };

/** A question to the worker that reads the files; each about an open exam has its own number. */
export type LocalRequest =
  | { type: "open"; files: LocalFile[] }
  /** A file's bytes, before the files are opened. */
  | { type: "hold"; path: string; bytes: ArrayBuffer }
  | { type: "metadata"; id: number; seriesInstanceUID: string; studyInstanceUID: string }
  | { type: "frame"; id: number; sopInstanceUID: string; frameIndex: number }
  | { type: "document"; id: number; sopInstanceUID: string }
  | { type: "bulkData"; id: number; sopInstanceUID: string; range: BulkDataRange };

export type LocalReply =
  | { type: "loaded" }
  /** The worker may read no file: it wants the bytes, and then to be asked again without files. */
  | { type: "unreadable" }
  | { type: "read"; files: number; total: number }
  | { type: "opened"; exams: LocalExams }
  | { type: "metadata"; id: number; metadata: DicomJson[] }
  | { type: "frame"; id: number; frame: EncodedFrame }
  | { type: "document"; id: number; document: LocalDocument }
  | { type: "bulkData"; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { type: "failed"; id?: number; reason: string };
