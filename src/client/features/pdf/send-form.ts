import { t } from "@lingui/core/macro";
import type { FormCall } from "../../../shared/api/call.ts";
import { ApiError, apiError } from "../../api.ts";
import { type FormParts, toForm } from "../../file-calls.ts";
import { activeLocale } from "../../i18n.ts";
import { currentToken, endSessionIfRefused } from "../../session.ts";

export interface SendOptions {
  /** Called with the sent share, from 0 to 1. */
  onProgress: (sent: number) => void;
  signal?: AbortSignal;
  /** By which the server knows the same upload again, where the answer to it was lost. */
  idempotencyKey?: string;
}

/**
 * Posts a form with XMLHttpRequest, because fetch reports no upload progress.
 * @throws {ApiError} as `callApi`; the signal's reason when aborted
 */
export async function sendForm<C extends FormCall>(
  call: C,
  parts: FormParts<C>,
  options: SendOptions,
): Promise<void> {
  const token = currentToken();
  const response = await post(call.path, toForm(call, parts), options, token);
  if (response.ok) return;
  endSessionIfRefused(response.status, token);
  throw await apiError(response);
}

function post(
  path: string,
  form: FormData,
  { onProgress, signal, idempotencyKey }: SendOptions,
  token: string | undefined,
): Promise<Response> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  signal?.addEventListener("abort", abort);
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
  request.onload = () => resolve(toResponse(request));
  request.onerror = () => reject(new ApiError(0, "network", unreachableText()));
  request.onabort = () => reject(signal?.reason);
  request.onloadend = () => signal?.removeEventListener("abort", abort);
  request.open("POST", path);
  request.setRequestHeader("Accept-Language", activeLocale());
  if (token) request.setRequestHeader("Authorization", `Bearer ${token}`);
  if (idempotencyKey) request.setRequestHeader("Idempotency-Key", idempotencyKey);
  request.send(form);
  return promise;
}

function unreachableText(): string {
  return t({
    id: "api.unreachable",
    message: "The server could not be reached. Check your connection.",
  });
}

function toResponse(request: XMLHttpRequest): Response {
  const type = request.getResponseHeader("content-type") ?? "";
  return new Response(request.status === 204 ? null : request.responseText, {
    status: request.status,
    statusText: request.statusText,
    headers: { "content-type": type },
  });
}
