import type { BulkDataLocation } from "../../../dicom/bulk-data.ts";

/** To the process that finds elements: a file on this machine, and the tag path of the metadata's `BulkDataURI`. */
export interface ElementRequest {
  path: string;
  sizeBytes: number;
  tagPath: string;
}

/** Asked of a new process before its first file. */
export const READY = "ready";

/** Where the value lies; null where there is none. */
export type ElementReply = BulkDataLocation | null;
