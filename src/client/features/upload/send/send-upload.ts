import { type UploadAnswer, type UploadMetadata, uploadDicomCall } from "../../../../shared/api/upload.ts";
import { type PostOptions, postForm } from "../../../calls/post-form.ts";

export interface OutgoingUpload {
  /** The tray's row that sends it. */
  id: string;
  /** By whom the browser remembers it: an account, or the request of a delivery. */
  userId: string;
  kind: "zip" | "folder";
  /** The name of the packed file in the browser's private file system, if it is one. */
  packedName?: string | undefined;
  /** Whether the server has all of its bytes already. */
  isWhole?: boolean | undefined;
  zip: Blob;
  fileName: string;
  metadata: UploadMetadata;
}

export interface SendOptions extends Pick<PostOptions, "onProgress"> {
  /** Called when a try failed that is repeated. */
  onFailure?: (error: unknown) => void;
  /** Called each time the server tells whether an upload that it has whole waits for room. */
  onWaiting?: (waits: boolean) => void;
  signal: AbortSignal;
}

/** Sends a ZIP and its form in one request. @throws as `postForm` */
export async function sendUpload(
  { zip, fileName, metadata }: OutgoingUpload,
  { onProgress, signal }: SendOptions,
): Promise<UploadAnswer> {
  const parts = { fields: { formData: metadata }, file: zip, fileName };
  const response = await postForm(uploadDicomCall, parts, { onProgress, signal });
  return uploadDicomCall.answer.parse(await response.json());
}
