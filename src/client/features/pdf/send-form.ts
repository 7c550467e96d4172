import type { FormCall } from "../../../shared/api/call.ts";
import type { FormParts } from "../../calls/file-calls.ts";
import { postForm } from "../../calls/post-form.ts";

export interface SendOptions {
  /** Called with the sent share, from 0 to 1. */
  onProgress: (sent: number) => void;
  signal?: AbortSignal;
  /** By which the server knows the same upload again, where the answer to it was lost. */
  idempotencyKey?: string;
}

/** Sends a form with a PDF. @throws as `postForm` */
export async function sendForm<C extends FormCall>(
  call: C,
  parts: FormParts<C>,
  { onProgress, signal, idempotencyKey }: SendOptions,
): Promise<void> {
  await postForm(call, parts, {
    signal,
    headers: idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {},
    onProgress: (loaded, total) => onProgress(total > 0 ? loaded / total : 0),
  });
}
