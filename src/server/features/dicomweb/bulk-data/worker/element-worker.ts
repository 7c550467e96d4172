import { closeSync, openSync } from "node:fs";
import { locateBulkData } from "../../../../dicom/bulk-data.ts";
import { fileSource } from "../../../../dicom/byte-source.ts";
import { serveSerially } from "../../../../processes/serve-requests.ts";
import type { ElementReply, ElementRequest } from "./element-messages.ts";

/*
 * The process in which large files are searched for elements, started by `element-finder.ts`: reading half a million elements
 * would block the server for too long.
 */
serveSerially(find);

function find({ path, sizeBytes, tagPaths }: ElementRequest): ElementReply {
  const fd = openSync(path, "r");
  try {
    const located = locateBulkData(fileSource(fd, 0, sizeBytes), tagPaths, { isInflated: true });
    return located.map((location) => location ?? null);
  } finally {
    closeSync(fd);
  }
}
