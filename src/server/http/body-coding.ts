import { AppError } from "./app-error.ts";
import { unsupportedMediaType } from "./http.errors.ts";

/** `utf-8` is no coding: some programs name the charset of a body there by mistake. */
const PLAIN: ReadonlySet<string> = new Set(["", "identity", "utf-8"]);

/**
 * Checks that the body is as it was made: one in a content coding would be read, or kept, as if the coding were the content.
 * @throws {AppError} 415 with `Accept-Encoding` (RFC 9110 §15.5.16)
 */
export function assertUncoded(headers: Headers): void {
  const codings = (headers.get("content-encoding") ?? "").split(",");
  if (codings.every((coding) => PLAIN.has(coding.trim().toLowerCase()))) return;
  throw new AppError(unsupportedMediaType, { headers: { "Accept-Encoding": "identity" } });
}
