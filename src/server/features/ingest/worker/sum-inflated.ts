import { closeSync, fstatSync, openSync } from "node:fs";
import { isSkippedInZip } from "../../../../shared/rules/skipped-names.ts";
import { openZip } from "../../../../shared/zip/open-zip.ts";
import { ZipError } from "../../../../shared/zip/zip-error.ts";
import { METHOD_DEFLATED } from "../../../../shared/zip/zip-format.ts";
import { fileSource } from "../../../dicom/byte-source.ts";
import { isPossibleSize } from "./read-entry.ts";
import type { WorkerRequests } from "./worker-messages.ts";

/**
 * The most bytes that a scan writes to the disk for the large entries that it inflates into the upload's folder, judged by the
 * ZIP's directory alone. Returns 0 for a ZIP that can't be read; the scan reports that error.
 */
export function sumInflated({
  spoolPath,
  limits,
}: Pick<WorkerRequests["open"], "spoolPath" | "limits">): number {
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
    // A scan stops after `maxInflatedBytes`, or after `maxRestBytes` and one more entry.
    const { maxInflatedBytes, maxEntryBytes, maxRestBytes = Number.POSITIVE_INFINITY } = limits;
    return Math.min(sum, maxInflatedBytes, maxRestBytes + maxEntryBytes);
  } catch (error) {
    if (error instanceof ZipError) return 0;
    throw error;
  } finally {
    closeSync(fd);
  }
}
