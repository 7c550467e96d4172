import { readZipEntries } from "../../../shared/zip/open-zip-blob.ts";
import { ZipError } from "../../../shared/zip/zip-error.ts";
import { LOCAL_SIGNATURE } from "../../../shared/zip/zip-format.ts";

/** Whether a file begins as a ZIP and its directory, which is at the end, is missing: a copy or a download broke off. */
export async function isCutZip(file: Blob): Promise<boolean> {
  const start = await file.slice(0, 4).arrayBuffer();
  if (start.byteLength < 4 || new DataView(start).getUint32(0, true) !== LOCAL_SIGNATURE) return false;
  try {
    await readZipEntries(file);
    return false;
  } catch (error) {
    if (error instanceof ZipError) return error.code === "zip.not_zip" || error.code === "zip.malformed";
    throw error;
  }
}
