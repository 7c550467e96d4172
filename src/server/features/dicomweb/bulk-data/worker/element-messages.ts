import type { BulkDataLocation } from "../../../../dicom/bulk-data.ts";

/** To the process that finds elements: a file on this machine, and the tag path of the metadata's `BulkDataURI`. */
export interface ElementRequest {
  path: string;
  sizeBytes: number;
  tagPath: string;
}

/** The location of the value; null if there is none. */
export type ElementReply = BulkDataLocation | null;
