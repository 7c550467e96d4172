import { findRecord, saveRecord } from "./resume-records.ts";
import type { OutgoingUpload } from "./send-upload.ts";

/** Keeps in the browser where on the server an upload is, so that a later page can go on with it. Returns its path. */
export function rememberUpload(
  { id, userId, kind, zip, packedName }: OutgoingUpload,
  url: string | null,
): string | undefined {
  if (url === null) return undefined;
  const { pathname: path } = new URL(url, window.location.href);
  if (findRecord(id)?.path === path) return path;
  const record = { id, userId, kind, path, sizeBytes: zip.size, isPaused: false, savedAt: Date.now() };
  saveRecord({ ...record, samples: [], ...(packedName !== undefined && { packedName }) });
  return path;
}
