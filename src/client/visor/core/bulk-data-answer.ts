import { readBounded } from "./read-bounded.ts";
import { type BulkDataRange, type InstanceUIDs, SourceUnreadable } from "./source.ts";

type Request = (path: string, init: RequestInit) => Promise<Response>;

/**
 * Asks DICOMweb for a part of a value (PS3.18 §10.4.1.1.5).
 * @throws {SourceUnreadable} for compressed pixel data: those of a single frame are answered as they are
 */
export async function askForBulkData(
  request: Request,
  { studyInstanceUID, seriesInstanceUID, sopInstanceUID }: InstanceUIDs,
  { tag, offset, length }: BulkDataRange,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const instance = `/studies/${studyInstanceUID}/series/${seriesInstanceUID}/instances/${sopInstanceUID}`;
  const headers = { Accept: "application/octet-stream", Range: `bytes=${offset}-${offset + length - 1}` };
  const response = await request(`${instance}/bulkdata/${tag}`, { headers, signal });
  if (response.headers.get("Content-Type")?.includes("transfer-syntax=")) {
    await response.body?.cancel();
    throw new SourceUnreadable("compressed");
  }
  const bytes = await readBounded(response, response.status === 206 ? length : offset + length);
  return response.status === 206 ? bytes : bytes.subarray(offset);
}
