import { AppError } from "./app-error.ts";
import { unsupportedMediaType } from "./http.errors.ts";

/**
 * The codings of IANA's registry that change a body. Other names, such as `utf-8` or `binary`, are no codings: some programs name the
 * charset or the kind of a body there by mistake.
 */
const CODINGS: ReadonlySet<string> = new Set(
  "aes128gcm br compress dcb dcz deflate exi gzip pack200-gzip x-compress x-gzip zstd".split(" "),
);

/**
 * Checks that the body is as it was made: one in a content coding would be read, or kept, as if the coding were the content.
 * @throws {AppError} 415 with `Accept-Encoding` (RFC 9110 §15.5.16)
 */
export function assertUncoded(headers: Headers): void {
  const named = (headers.get("content-encoding") ?? "").split(",");
  if (!named.some((name) => CODINGS.has(name.trim().toLowerCase()))) return;
  throw new AppError(unsupportedMediaType, { headers: { "Accept-Encoding": "identity" } });
}
