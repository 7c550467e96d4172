import { readZipEntries } from "../../../shared/zip/open-zip-blob.ts";
import type { ZipEntry } from "../../../shared/zip/zip-entry.ts";
import { ZipError } from "../../../shared/zip/zip-error.ts";

/** Whether each of these files of a ZIP asks for a password, so that nobody here can read one. */
export function areLocked(entries: readonly Pick<ZipEntry, "isEncrypted">[]): boolean {
  return entries.length > 0 && entries.every(({ isEncrypted }) => isEncrypted);
}

/** Whether a file is a ZIP of which each file asks for a password. */
export async function isLockedZip(file: Blob): Promise<boolean> {
  try {
    return areLocked((await readZipEntries(file)).filter(({ isFolder }) => !isFolder));
  } catch (error) {
    if (error instanceof ZipError) return false;
    throw error;
  }
}
