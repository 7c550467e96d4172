import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { hasPreamble, META_START, mayBeInstance } from "../../../shared/dicom/instance-start.ts";
import { baseName, isSkippedInZip } from "../../../shared/rules/skipped-names.ts";
import { fileSource } from "../../dicom/byte-source.ts";
import { readInstance } from "../../dicom/read-instance.ts";
import { rawPath } from "../../storage/disk/raw-path.ts";
import type { FileReport, FoundFile } from "./found-file.ts";

/** A deflated data set that takes more is grouped by its file, and read by a worker. */
const MAX_INFLATED_BYTES = 16 * 1024 * 1024;

/** What a file looks like. Whoever takes it in reads it again and decides. */
export type LookedInto =
  | { kind: "instance"; studyInstanceUID: string }
  | { kind: "zip" }
  | { kind: "neither"; report: FileReport };

/** Looks into a file, to know its study before it is sent. A directory of a disc (DICOMDIR) is not used for anything. */
export function lookIntoFile({ path }: FoundFile): LookedInto {
  const left = (outcome: "skipped" | "refused", reason: string): LookedInto => ({
    kind: "neither",
    report: { path, outcome, reason },
  });
  if (isSkippedInZip(path)) return left("skipped", "ignored_name");
  let fd: number;
  try {
    fd = openFound(path);
  } catch {
    return left("refused", "file.unreadable");
  }
  try {
    const { size } = fstatSync(fd);
    const source = fileSource(fd, 0, size);
    const head = Uint8Array.from(source.read(0, META_START));
    if (!hasPreamble(head) && isZip(path, head)) return { kind: "zip" };
    if (!mayBeInstance(head)) return left("skipped", "not_dicom");
    const read = readInstance(source, { maxInflatedBytes: MAX_INFLATED_BYTES });
    if (read.ok) return { kind: "instance", studyInstanceUID: read.instance.studyInstanceUID };
    if (read.reason === "instance.too_complex") return { kind: "instance", studyInstanceUID: "" };
    const isForeign = read.reason === "not_dicom" || read.reason === "dicomdir";
    return left(isForeign ? "skipped" : "refused", read.reason);
  } catch {
    return left("refused", "file.unreadable");
  } finally {
    closeSync(fd);
  }
}

/** Opens a file that was found; it may have become something else meanwhile. */
export function openFound(path: string): number {
  const fd = openSync(rawPath(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new TypeError("not a file any more");
}

/** A ZIP begins with its first entry, or ends with its directory if it is empty; a self-extracting one has only its name. */
function isZip(path: string, head: Uint8Array): boolean {
  const start = String.fromCharCode(...head.subarray(0, 4));
  return (
    start === "PK\u0003\u0004" || start === "PK\u0005\u0006" || baseName(path).toLowerCase().endsWith(".zip")
  );
}
