import type * as z from "zod/mini";
import type { Call, CallInput, FormCall } from "../../shared/api/call.ts";
import { ApiError, type CallOptions, callApi, readAnswer, unreachable } from "./api.ts";

/* Apart from the other calls, because the login page neither sends nor reads files. */

/** Like `callApi`, and reads the answer as a file. */
export async function callFile<C extends Call>(call: C, request: CallInput<C> & CallOptions): Promise<Blob> {
  const response = await callApi(call, request);
  return await readAnswer(response.blob(), cutOff);
}

/** A file that broke off is not read again by itself, as it may be large and the line too weak for it. */
function cutOff(): ApiError {
  return new ApiError(0, "cut_off", unreachable().message);
}

/** The parts of an uploaded form: the fields of its call, and the file. */
export interface FormParts<C extends FormCall> {
  fields: z.input<C["form"]>;
  file: Blob | undefined;
  /** Replaces the file's own name. */
  fileName?: string;
}

/** The fields go first, so that the server has them before the file's bytes; values that are not strings are sent as JSON. */
export function toForm<C extends FormCall>(call: C, { fields, file, fileName }: FormParts<C>): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries(fields as object)) {
    form.set(name, typeof text === "string" ? text : JSON.stringify(text));
  }
  if (file && fileName === undefined) form.set(call.file, file);
  else if (file) form.set(call.file, file, fileName);
  return form;
}
