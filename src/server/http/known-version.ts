import { AppError } from "./app-error.ts";
import { versionDiffers } from "./http.errors.ts";

const MAX_HEADER_LENGTH = 2_000;

/**
 * Whether a client that sent this `If-None-Match` has the version already: any, or one of a list, compared as RFC 9110 §13.1.2 says,
 * without regard to which of both is called weak.
 */
export function isKnownVersion(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (!ifNoneMatch || ifNoneMatch.length > MAX_HEADER_LENGTH) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((known) => withoutWeak(known.trim()) === withoutWeak(etag));
}

/**
 * Refuses a request whose `If-Match` does not name this version. A client that asks for the rest of a file so learns that the file has
 * changed. A weak version never matches (RFC 9110 §13.1.1).
 * @throws {AppError} 412
 */
export function assertNamedVersion(ifMatch: string | null, etag: string): void {
  if (ifMatch === null || ifMatch.trim() === "*") return;
  const isNamed = ifMatch.split(",").some((named) => named.trim() === etag);
  if (!isNamed || etag.startsWith("W/")) throw new AppError(versionDiffers, { headers: { ETag: etag } });
}

function withoutWeak(etag: string): string {
  return etag.replace(/^W\//, "");
}
