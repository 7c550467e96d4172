import type { FormCall } from "../../shared/api/call.ts";
import { activeLocale } from "../i18n.ts";
import { currentToken, endSessionIfRefused } from "../session.ts";
import { apiError, unreachable } from "./api.ts";
import { type FormParts, toForm } from "./file-calls.ts";

export interface PostOptions {
  /** Called as bytes are sent, and once with the total when the server has the whole body. */
  onProgress: (loadedBytes: number, totalBytes: number) => void;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
}

/**
 * Posts a form with XMLHttpRequest, because fetch reports no upload progress. Returns the answer of a success.
 * @throws {ApiError} as `callApi`; the signal's reason when aborted
 */
export async function postForm<C extends FormCall>(
  call: C,
  parts: FormParts<C>,
  options: PostOptions,
): Promise<Response> {
  const token = currentToken();
  const response = await send(call, toForm(call, parts), options, token);
  if (response.ok) return response;
  endSessionIfRefused(response.status, token);
  throw await apiError(response);
}

function send(
  { method, path }: FormCall,
  form: FormData,
  { onProgress, signal, headers }: PostOptions,
  token: string | undefined,
): Promise<Response> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  signal?.addEventListener("abort", abort);
  request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total);
  request.onload = () => resolve(toResponse(request));
  request.onerror = () => reject(unreachable());
  request.onabort = () => reject(signal?.reason);
  request.onloadend = () => signal?.removeEventListener("abort", abort);
  request.open(method, path);
  request.setRequestHeader("Accept-Language", activeLocale());
  if (token) request.setRequestHeader("Authorization", `Bearer ${token}`);
  for (const [name, value] of Object.entries(headers ?? {})) request.setRequestHeader(name, value);
  request.send(form);
  return promise;
}

function toResponse(request: XMLHttpRequest): Response {
  const type = request.getResponseHeader("content-type") ?? "";
  return new Response(request.status === 204 ? null : request.responseText, {
    status: request.status,
    statusText: request.statusText,
    headers: { "content-type": type },
  });
}
