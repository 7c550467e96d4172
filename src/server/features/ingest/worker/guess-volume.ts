import { closeSync, fstatSync, openSync } from "node:fs";
import { baseName, isSkippedInZip } from "../../../../shared/rules/skipped-names.ts";
import { openZip } from "../../../../shared/zip/open-zip.ts";
import type { ZipEntry } from "../../../../shared/zip/zip-entry.ts";
import { ZipError } from "../../../../shared/zip/zip-error.ts";
import { type EntryInFile, planInPlace, sumInPlace } from "../../../archive/volume-in-place.ts";
import { fileSource } from "../../../dicom/byte-source.ts";
import type { GuessedVolume, IngestLimits, WorkerRequests } from "./worker-messages.ts";

const CHUNK_BYTES = 1024 * 1024;
/** On discs, beside the instances. */
const DIRECTORY_NAME = "DICOMDIR";

/**
 * Hashes the volume that the spool becomes if every entry that looks like an instance is one, while another process reads the
 * entries. Returns `undefined` when the spool cannot serve as a volume unchanged.
 */
export async function guessVolume({
  spoolPath,
  volumeId,
  limits,
}: WorkerRequests["guess"]): Promise<GuessedVolume | undefined> {
  const fd = openSync(spoolPath, "r");
  try {
    const plan = planInPlace(volumeId, likelyEntries(fd, limits));
    return plan && { volumeId, ...(await sumInPlace(plan, fd, new Uint8Array(CHUNK_BYTES))) };
  } catch (error) {
    // The process that reads the entries reports the same error.
    if (error instanceof ZipError) return undefined;
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Whether an entry looks like an instance by its name. */
export function isLikelyInstance({ name, isFolder }: Pick<ZipEntry, "name" | "isFolder">): boolean {
  return !isFolder && baseName(name).toUpperCase() !== DIRECTORY_NAME && !isSkippedInZip(name);
}

function likelyEntries(fd: number, limits: IngestLimits): EntryInFile[] {
  const archive = openZip(fileSource(fd, 0, fstatSync(fd).size), limits);
  const likely: EntryInFile[] = [];
  for (const entry of archive.entries()) {
    if (!isLikelyInstance(entry)) continue;
    const located = archive.locate(entry);
    if (!located.ok) continue;
    const { offset: dataOffset, length: storedBytes, method } = located.data;
    likely.push({ dataOffset, storedBytes, method, crc32: entry.crc32, sizeBytes: entry.sizeBytes });
  }
  return likely;
}
