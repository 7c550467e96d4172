import { isSkippedInZip } from "../../../shared/rules/skipped-names.ts";
import { openZip } from "../../../shared/zip/open-zip.ts";
import { fileSource } from "../../dicom/byte-source.ts";
import type { FileReport } from "./found-file.ts";
import type { Piece } from "./pack-studies.ts";

/**
 * The entries of an open ZIP that is too large for one upload, as pieces of several; each is copied as it is.
 * @throws {ZipError}
 */
export function zipPieces(
  path: string,
  fd: number,
  sizeBytes: number,
): { pieces: Piece[]; reports: FileReport[] } {
  const archive = openZip(fileSource(fd, 0, sizeBytes));
  const pieces: Piece[] = [];
  const reports: FileReport[] = [];
  for (const entry of archive.entries()) {
    if (entry.isFolder) continue;
    const name = entryPath(path, entry.name);
    const located = archive.locate(entry);
    if (isSkippedInZip(entry.name)) reports.push({ path: name, outcome: "skipped", reason: "ignored_name" });
    else if (!located.ok) reports.push({ path: name, outcome: "refused", reason: located.reason });
    else {
      const { offset, length: storedBytes, method } = located.data;
      const { crc32, sizeBytes: inflatedBytes } = entry;
      const raw = { fd, offset, method, crc32, storedBytes, sizeBytes: inflatedBytes };
      pieces.push({ path: name, sizeBytes: storedBytes, add: (zip) => zip.addRaw(raw) });
    }
  }
  return { pieces, reports };
}

/** As reports name an entry of a ZIP. */
export function entryPath(zipPath: string, entryName: string): string {
  return `${zipPath}!/${entryName}`;
}
