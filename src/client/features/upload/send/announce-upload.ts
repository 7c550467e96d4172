import { createUploadCall } from "../../../../shared/api/resumable.ts";
import { ApiError, callApi } from "../../../calls/api.ts";
import { rememberUpload } from "./remember-upload.ts";
import { findRecord } from "./resume-records.ts";
import type { OutgoingUpload } from "./send-upload.ts";
import { withLock } from "./upload-lock.ts";

/**
 * Has the server know an upload that waits for its turn, so that it outlives the page. What the server refuses now is told when its
 * turn comes.
 */
export async function announceUpload(upload: OutgoingUpload, signal: AbortSignal): Promise<void> {
  await withLock(upload.id, signal, () => announceHeld(upload, signal));
}

/** As {@link announceUpload}, for a caller that holds the lock of the upload. */
export async function announceHeld(upload: OutgoingUpload, signal: AbortSignal): Promise<void> {
  if (findRecord(upload.id)) return;
  const { zip, fileName, metadata } = upload;
  const headers = {
    "Tus-Resumable": "1.0.0",
    "Upload-Length": String(zip.size),
    "Upload-Metadata": encodeMetadata({ filename: fileName, formData: JSON.stringify(metadata) }),
  };
  const path = await createdPath(headers, signal);
  if (path) rememberUpload(upload, path);
}

async function createdPath(headers: Record<string, string>, signal: AbortSignal): Promise<string | null> {
  try {
    return (await callApi(createUploadCall, { headers, signal })).headers.get("location");
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** As tus writes it: each value in base64. */
function encodeMetadata(metadata: Record<string, string>): string {
  return Object.entries(metadata)
    .map(([name, value]) => `${name} ${btoa(String.fromCharCode(...new TextEncoder().encode(value)))}`)
    .join(",");
}
