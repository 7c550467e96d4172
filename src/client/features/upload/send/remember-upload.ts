import { findRecord, saveRecord } from "./resume-records.ts";
import type { OutgoingUpload } from "./send-upload.ts";

/** Keeps in the browser where on the server an upload is, so that a later page can go on with it. */
export function rememberUpload(
  { id, userId, kind, zip, packedName }: OutgoingUpload,
  url: string | null,
): void {
  if (url === null) return;
  const { pathname: path } = new URL(url, window.location.href);
  if (findRecord(id)?.path === path) return;
  const record = { id, userId, kind, path, sizeBytes: zip.size, isPaused: false, savedAt: Date.now() };
  saveRecord({ ...record, samples: [], ...(packedName !== undefined && { packedName }) });
}
