import type { BulkDataLocation } from "../../../../dicom/bulk-data.ts";

/** To the process that finds elements: a file on this machine, and tag paths of the metadata's `BulkDataURI`s. */
export interface ElementRequest {
  path: string;
  sizeBytes: number;
  tagPaths: readonly string[];
}

/** The location of each value; null if there is none. */
export type ElementReply = (BulkDataLocation | null)[];
