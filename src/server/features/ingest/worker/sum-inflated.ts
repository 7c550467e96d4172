import { closeSync, fstatSync, openSync } from "node:fs";
import { isSkippedInZip } from "../../../../shared/rules/skipped-names.ts";
import { openZip } from "../../../../shared/zip/open-zip.ts";
import { ZipError } from "../../../../shared/zip/zip-error.ts";
import { METHOD_DEFLATED } from "../../../../shared/zip/zip-format.ts";
import { fileSource } from "../../../dicom/byte-source.ts";
import { isPossibleSize } from "./read-entry.ts";
import type { WorkerRequests } from "./worker-messages.ts";

/**
 * What the large entries of a ZIP take on the disk while it is scanned, at most, by its directory alone: those that a scan
 * inflates into the upload's folder. A ZIP that can't be read has none: whoever scans it says so.
 */
export function sumInflated({ spoolPath, limits }: WorkerRequests["open"]): number {
  const fd = openSync(spoolPath, "r");
  try {
    const { size } = fstatSync(fd);
    if (!isPossibleSize(size, limits.maxHeldBytes)) return 0;
    let sum = 0;
    for (const entry of openZip(fileSource(fd, 0, size), limits).entries()) {
      const { method, sizeBytes, storedBytes, name, isFolder } = entry;
      const isLarge =
        Math.max(sizeBytes, storedBytes) > limits.maxHeldBytes && sizeBytes <= limits.maxEntryBytes;
      if (!isLarge || isFolder || isSkippedInZip(name) || method !== METHOD_DEFLATED) continue;
      if (isPossibleSize(storedBytes, sizeBytes)) sum += sizeBytes;
    }
    // A scan ends once it has inflated so much, or has so much to keep and one entry more.
    const { maxInflatedBytes, maxEntryBytes, maxRestBytes = Number.POSITIVE_INFINITY } = limits;
    return Math.min(sum, maxInflatedBytes, maxRestBytes + maxEntryBytes);
  } catch (error) {
    if (error instanceof ZipError) return 0;
    throw error;
  } finally {
    closeSync(fd);
  }
}
