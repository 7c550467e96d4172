import type { BulkDataLocation } from "../../../dicom/bulk-data.ts";

/** To the process that finds elements: a file on this machine, and the tag path of the metadata's `BulkDataURI`. */
export interface ElementRequest {
  path: string;
  sizeBytes: number;
  tagPath: string;
}

/** The request to a new process before its first file. */
export const READY = "ready";

/** The location of the value; null if there is none. */
export type ElementReply = BulkDataLocation | null;
