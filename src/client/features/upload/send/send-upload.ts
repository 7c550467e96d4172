import { type UploadAnswer, type UploadMetadata, uploadDicomCall } from "../../../../shared/api/upload.ts";
import { ApiError, apiError } from "../../../api.ts";
import { toForm } from "../../../file-calls.ts";
import { activeLocale } from "../../../i18n.ts";
import { currentToken, endSessionIfRefused } from "../../../session.ts";

export interface OutgoingUpload {
  /** The tray's row that sends it. */
  id: string;
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

export interface SendOptions {
  /** Called as bytes are sent, and once with the total when the server has the whole body. */
  onProgress: (loadedBytes: number, totalBytes: number) => void;
  /** Called when a try failed that is repeated. */
  onFailure?: () => void;
  signal: AbortSignal;
}

/**
 * Sends a ZIP and its form with XMLHttpRequest, because fetch reports no upload progress.
 * @throws {ApiError} status 0 with code `network` if the connection failed; the signal's reason when aborted
 */
export async function sendUpload(upload: OutgoingUpload, options: SendOptions): Promise<UploadAnswer> {
  const token = currentToken();
  const response = await post(upload, options, token);
  if (response.ok) return uploadDicomCall.answer.parse(await response.json());
  endSessionIfRefused(response.status, token);
  throw await apiError(response);
}

function post(
  { zip, fileName, metadata }: OutgoingUpload,
  { onProgress, signal }: SendOptions,
  token: string | undefined,
): Promise<Response> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  signal.addEventListener("abort", abort);
  request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total);
  request.onload = () => resolve(toResponse(request));
  request.onerror = () => reject(new ApiError(0, "network", "network"));
  request.onabort = () => reject(signal.reason);
  request.onloadend = () => signal.removeEventListener("abort", abort);

  request.open(uploadDicomCall.method, uploadDicomCall.path);
  request.setRequestHeader("Accept-Language", activeLocale());
  if (token) request.setRequestHeader("Authorization", `Bearer ${token}`);
  request.send(toForm(uploadDicomCall, { fields: { formData: metadata }, file: zip, fileName }));
  return promise;
}

function toResponse(request: XMLHttpRequest): Response {
  const type = request.getResponseHeader("content-type") ?? "";
  return new Response(request.responseText, {
    status: request.status,
    statusText: request.statusText,
    headers: { "content-type": type },
  });
}
